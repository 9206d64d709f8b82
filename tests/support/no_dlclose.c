// For builds with a sanitizer: drivers stay loaded, so that what they keep to the end is found where it
// belongs and not reported as a leak of an unknown module.
#include <dlfcn.h>

__attribute__((visibility("default"))) int dlclose(void *handle) // libraries must find it, too
{
    (void)handle;
    return 0;
}
