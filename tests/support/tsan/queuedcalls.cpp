// SPDX-License-Identifier: Apache-2.0
// Linked into programs that are built with the thread sanitizer, and only there. Qt itself is not
// instrumented, so the sanitizer does not see that an event is delivered after it was posted, and
// calls every value handed over by a queued call a race. One clock tells it: each allocation (Qt
// allocates the event that it posts) and each write (the wake-up of an event loop) moves the clock,
// each delivery reads it. Threads that touch a value at the same moment are still reported; a race
// whose two sides lie before an allocation and after a delivery may be missed.
#include <QCoreApplication>
#include <QtCore/qnamespace.h>

#include <cstdlib>
#include <sanitizer/tsan_interface.h>
#include <unistd.h>

extern "C" ssize_t __interceptor_write(int fd, const void *data, size_t size);
extern "C" int __sanitizer_install_malloc_and_free_hooks(
    void (*onMalloc)(const volatile void *, size_t), void (*onFree)(const volatile void *));

namespace {

char handOver; // its address names the clock

bool onDelivery(void ** /*receiver, event, result*/)
{
    __tsan_acquire(&handOver);
    return false; // deliver it as usual
}

void watchDeliveries()
{
    QInternal::registerCallback(QInternal::EventNotifyCallback, onDelivery);
}
Q_COREAPP_STARTUP_FUNCTION(watchDeliveries)

void onAllocation(const volatile void *, size_t)
{
    __tsan_release(&handOver);
}

void onRelease(const volatile void *) { }

[[gnu::constructor]] void watchAllocations()
{
    if (__sanitizer_install_malloc_and_free_hooks(onAllocation, onRelease) == 0) {
        std::abort();
    }
}

} // namespace

extern "C" ssize_t write(int fd, const void *data, size_t size)
{
    __tsan_release(&handOver);
    return __interceptor_write(fd, data, size);
}
