#include "guest.h"
#include <stddef.h>
const char *ccbf_guest_unwelcome(void) { return NULL; }
