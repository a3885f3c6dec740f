/* Names and constants of the floating-point type that a template is being instantiated for.
 *
 * The forward pass is written once and compiled for float and for double: a template (the files
 * named *_real.h) is included after defining REAL_BITS as 32 or 64 and including this file, which
 * may be included again for the other type. REAL(name) is the name with the type's suffix. */
#undef Real
#undef RealBits
#undef RealWord
#undef REAL

#undef REAL_PASTE_
#undef REAL_PASTE
#define REAL_PASTE_(name, bits) name##bits
#define REAL_PASTE(name, bits)  REAL_PASTE_(name, bits)
#define REAL(name)              REAL_PASTE(name, REAL_BITS)

#if REAL_BITS == 32
#define Real     float
#define RealBits int32_t
#define RealWord uint32_t
#elif REAL_BITS == 64
#define Real     double
#define RealBits int64_t
#define RealWord uint64_t
#else
#error "define REAL_BITS as 32 or 64 before including real.h"
#endif
