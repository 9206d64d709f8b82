// The commands of the program tarn.
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

// argv[0] is the name of the command. Each returns an exit code; main() flushes and checks stdout.
int command_run(int argc, char **argv);
int command_resume(int argc, char **argv); // run.c too
int command_check(int argc, char **argv);
int command_scenes(int argc, char **argv);
int command_schema(int argc, char **argv);
int command_info(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_validate(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_view(int argc, char **argv);
int command_render(int argc, char **argv); // only with TARN_DRAW

#endif
