// Replaces this machine's C library header, which checks for known processors: words of 64 bits.
#define __WORDSIZE 64
#define __WORDSIZE_TIME64_COMPAT32 0
