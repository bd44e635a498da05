/* Preloaded: the kernel's heaps of camera memory, where a kernel has none. libcamera and Picamera2 allocate from them.
   A heap is any descriptor; a buffer is a memfd; its name and its turns of the cache need nothing. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-heap.h>
#include <stdarg.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static int is_heap(const char *path) { return strncmp(path, "/dev/dma_heap/", 14) == 0; }

#define OPENS(name, places, at)                                                                                        \
    int name places {                                                                                                  \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;                                      \
        va_end(rest);                                                                                                  \
        if (is_heap(path))                                                                                             \
            return eventfd(0, EFD_CLOEXEC);                                                                            \
        return ((int(*) places)dlsym(RTLD_NEXT, #name))at;                                                             \
    }
OPENS(open, (const char *path, int flags, ...), (path, flags, mode))
OPENS(open64, (const char *path, int flags, ...), (path, flags, mode))
OPENS(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
OPENS(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))

int ioctl(int fd, unsigned long request, ...) {
    va_list rest;
    va_start(rest, request);
    void *given = va_arg(rest, void *);
    va_end(rest);
    if (request == DMA_HEAP_IOCTL_ALLOC) {
        struct dma_heap_allocation_data *wanted = given;
        int buffer = memfd_create("dma", MFD_CLOEXEC);
        if (buffer < 0 || ftruncate(buffer, (off_t)wanted->len) < 0)
            return -1;
        wanted->fd = (unsigned)buffer;
        return 0;
    }
    if (_IOC_TYPE(request) == 'b') /* DMA_BUF_… */
        return 0;
    return ((int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl"))(fd, request, given);
}
