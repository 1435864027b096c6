// This machine's C library header, without its calling convention.
#include_next <bits/pthreadtypes-arch.h>
#undef __cleanup_fct_attribute
#define __cleanup_fct_attribute
