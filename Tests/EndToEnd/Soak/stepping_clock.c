// Shows a process another wall-clock time: loaded before all other libraries (LD_PRELOAD), it adds to the machine's
// the milliseconds that stand in the file STEPPING_CLOCK names, a 64-bit number that a test changes whenever it likes.
// What counts time from somewhere else than 1970 is left alone. Calls the kernel itself, since an allocator may ask for
// the time before anything can be looked up.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static const int64_t still = 0;
static const volatile int64_t *offset_milliseconds = &still;

__attribute__((constructor)) static void find_offset(void) {
  const char *path = getenv("STEPPING_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) abort();
  void *page = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  if (page == MAP_FAILED) abort();
  close(file);
  offset_milliseconds = page;
}

static struct timespec moved(struct timespec time, int64_t milliseconds) {
  time.tv_sec += milliseconds / 1000;
  time.tv_nsec += milliseconds % 1000 * 1000000;
  if (time.tv_nsec < 0) { time.tv_nsec += 1000000000; time.tv_sec--; }
  if (time.tv_nsec >= 1000000000) { time.tv_nsec -= 1000000000; time.tv_sec++; }
  return time;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (syscall(SYS_clock_gettime, clock, time) != 0) return -1;
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) *time = moved(*time, *offset_milliseconds);
  return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

int timespec_get(struct timespec *time, int base) {
  if (base != TIME_UTC) return 0;
  clock_gettime(CLOCK_REALTIME, time);
  return base;
}

// Deadlines are the shown clock's, and the kernel waits by its own.

int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict deadline) {
  struct timespec real = moved(*deadline, -*offset_milliseconds);
  int code = pthread_cond_clockwait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex, CLOCK_REALTIME, &real);
  return code == 0 ? thrd_success : code == ETIMEDOUT ? thrd_timedout : thrd_error;
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict deadline) {
  struct timespec real = moved(*deadline, -*offset_milliseconds);
  return sem_clockwait(semaphore, CLOCK_REALTIME, &real);
}
