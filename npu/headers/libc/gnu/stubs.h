// Replaces the C library's list of functions missing on a processor; a kernel does not link any of them.
