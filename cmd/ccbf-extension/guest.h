#ifndef CCBF_GUEST_H
#define CCBF_GUEST_H
/* NULL, or why the extension must not run in this process. */
const char *ccbf_guest_unwelcome(void);
#endif
