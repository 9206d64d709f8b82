// A GL context without a window or X server, through EGL: Mesa's surfaceless platform, then the first EGL
// device that works. draw_create() uses it for DRAW_HEADLESS.
#include "gl_context.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEVICES = 16 };

struct egl_context {
    EGLDisplay display;
    EGLContext context;
};

// Whether a space-separated list has a name; EGL_EXT_platform_device is not EGL_EXT_platform_device_x.
static bool has_extension(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *p = list; p && (p = strstr(p, name)); p += length)
        if ((p == list || p[-1] == ' ') && (p[length] == ' ' || p[length] == '\0')) return true;
    return false;
}

// libepoxy aborts the program if the library with the entry points is missing, so this checks first.
static bool has_library(enum draw_api api, char *why)
{
    static const char *const names[2][2] = {{"libOpenGL.so.0", "libGL.so.1"}, {"libGLESv2.so.2", NULL}};
    for (int k = 0; k < 2 && names[api][k]; ++k) {
        void *lib = dlopen(names[api][k], RTLD_LAZY | RTLD_LOCAL);
        if (lib) {
            dlclose(lib);
            return true;
        }
    }
    snprintf(why, 256, "%s is missing: install it (Debian: apt install %s libegl1 libgl1-mesa-dri)",
             names[api][0], api == DRAW_GLES ? "libgles2" : "libopengl0");
    return false;
}

static bool make_current(void *self)
{
    const struct egl_context *s = self;
    return eglMakeCurrent(s->display, EGL_NO_SURFACE, EGL_NO_SURFACE, s->context) == EGL_TRUE;
}

// `any_version`: accept an older version, in order to report it.
static EGLContext make_context(EGLDisplay display, enum draw_api api, bool any_version)
{
    static const EGLint attributes[2][9] = {
        {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
         EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE},
        {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 0, EGL_NONE}};
    static const EGLint any_attributes[2][3] = {{EGL_NONE}, {EGL_CONTEXT_MAJOR_VERSION, 2, EGL_NONE}};
    const EGLint config_attributes[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE,
                                        api == DRAW_GL ? EGL_OPENGL_BIT
                                        : any_version  ? EGL_OPENGL_ES2_BIT
                                                       : EGL_OPENGL_ES3_BIT,
                                        EGL_NONE};
    const char *extensions = eglQueryString(display, EGL_EXTENSIONS);
    EGLConfig config = NULL; // none
    EGLint count = 0;
    if (!has_extension(extensions, "EGL_KHR_surfaceless_context")) return EGL_NO_CONTEXT;
    if (!eglBindAPI(api == DRAW_GLES ? EGL_OPENGL_ES_API : EGL_OPENGL_API)) return EGL_NO_CONTEXT;
    if (!has_extension(extensions, "EGL_KHR_no_config_context") &&
        (!eglChooseConfig(display, config_attributes, &config, 1, &count) || count < 1))
        return EGL_NO_CONTEXT;
    return eglCreateContext(display, config, EGL_NO_CONTEXT,
                            any_version ? any_attributes[api] : attributes[api]);
}

// Displays belong to the process and EGL does not count their users, so they are never terminated.
static bool try_display(struct egl_context *s, EGLDisplay display, enum draw_api api, bool any_version)
{
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL)) return false;
    const EGLContext context = make_context(display, api, any_version);
    if (context == EGL_NO_CONTEXT) return false;
    s->display = display, s->context = context;
    if (make_current(s)) return true;
    eglDestroyContext(display, context);
    s->context = EGL_NO_CONTEXT;
    return false;
}

static bool try_all(struct egl_context *s, enum draw_api api, bool any_version)
{
    const char *extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    const PFNEGLGETPLATFORMDISPLAYEXTPROC get =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    const PFNEGLQUERYDEVICESEXTPROC query =
        (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
    if (!extensions || !get) return false;
    if (has_extension(extensions, "EGL_MESA_platform_surfaceless") &&
        try_display(s, get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL), api, any_version))
        return true;
    EGLDeviceEXT devices[MAX_DEVICES];
    EGLint count = 0;
    if (!has_extension(extensions, "EGL_EXT_platform_device") || !query ||
        !query(MAX_DEVICES, devices, &count))
        return false;
    for (int k = 0; k < count; ++k)
        if (try_display(s, get(EGL_PLATFORM_DEVICE_EXT, devices[k], NULL), api, any_version)) return true;
    return false;
}

// Write why there is no context: the version is too old, or EGL found nothing.
static void write_reason(struct egl_context *s, enum draw_api api, char *why)
{
    snprintf(why, 256,
             "no %s without a window: EGL found neither a surfaceless platform nor a device that has it "
             "(Debian: apt install libegl1 libgl1-mesa-dri)",
             api == DRAW_GLES ? "OpenGL ES 3.0" : "OpenGL 3.3");
    if (!try_all(s, api, true)) return;
    gl_context_too_old(api, why);
    eglMakeCurrent(s->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(s->display, s->context);
}

static void *create(enum draw_api api, char *why)
{
    struct egl_context *s = calloc(1, sizeof *s);
    if (!s) {
        snprintf(why, 256, "out of memory");
        return NULL;
    }
    if (!has_library(api, why)) {
        free(s);
        return NULL;
    }
    if (try_all(s, api, false)) return s;
    write_reason(s, api, why);
    free(s);
    return NULL;
}

static void destroy(void *self)
{
    struct egl_context *s = self;
    eglMakeCurrent(s->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(s->display, s->context);
    eglReleaseThread();
    free(s);
}

const struct gl_context_kind gl_context_egl = {create, destroy, make_current};
