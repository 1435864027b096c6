// In place of the C library's header of this machine, which knows the processors that it is for: words of 64 bits.
#define __WORDSIZE 64
#define __WORDSIZE_TIME64_COMPAT32 0
