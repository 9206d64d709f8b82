# Numbers of the sources become part of the program.
# usage: cmake -DOUT=FILE.c -DFOLDER=validation -P tables.cmake
#
# FOLDER/some-case/table.csv, after its first line (the source) and its second (names of the columns), becomes
#   const double table_some_case[][COLUMNS];  const int table_some_case_rows;

file(GLOB tables ${FOLDER}/*/table.csv)
set(text "// Made by validation/tables.cmake from the tables of the cases.\n")
foreach(table ${tables})
    get_filename_component(name ${table} DIRECTORY)
    get_filename_component(name ${name} NAME)
    string(MAKE_C_IDENTIFIER "table_${name}" name)
    file(STRINGS ${table} lines)
    list(LENGTH lines rows)
    math(EXPR rows "${rows} - 2")
    list(GET lines 1 head)
    string(REGEX MATCHALL "," commas "${head}")
    list(LENGTH commas columns)
    math(EXPR columns "${columns} + 1")
    string(APPEND text "\nextern const double ${name}[${rows}][${columns}];\nextern const int ${name}_rows;\n"
        "const int ${name}_rows = ${rows};\nconst double ${name}[${rows}][${columns}] = {\n")
    list(SUBLIST lines 2 -1 lines)
    foreach(line ${lines})
        string(APPEND text "    {${line}},\n")
    endforeach()
    string(APPEND text "};\n")
endforeach()
file(WRITE ${OUT} "${text}")
