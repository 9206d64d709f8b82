// For builds with a sanitizer: drivers stay loaded, so that what they keep to the end is found where it belongs and
// not reported as a leak of an unknown module.
#include <dlfcn.h>

int dlclose(void *handle)
{
    (void)handle;
    return 0;
}
