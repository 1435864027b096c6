#pragma once

#include "kgnpu/high_level.h"
#include "kgnpu/library_data.h"

// More elementwise calls of the high-level library, and quantising. As in high_level.h each is one operation,
// computed in double and rounded once.

namespace AscendC {

// Activations whose further template arguments only trade accuracy against speed.
#define KG_LIBRARY_GELU(Name)                                                                                      \
  template <typename T, bool highPrecision = false, bool highPerformance = false>                                  \
  inline void Name(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t dataSize,        \
                   KG_WHERE) {                                                                                     \
    KG_TAKES(#Name, T, half, float);                                                                               \
    kg_detail::library<T>(::kgnpu::Op::k##Name, dstLocal, srcLocal, nullptr, nullptr, 0, dataSize, kg_where.line); \
  }                                                                                                                \
  template <typename T, bool highPrecision = false, bool highPerformance = false>                                  \
  inline void Name(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,                                 \
                   const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t dataSize, KG_WHERE) {               \
    KG_TAKES(#Name, T, half, float);                                                                               \
    kg_detail::library<T>(::kgnpu::Op::k##Name, dstLocal, srcLocal, nullptr, &sharedTmpBuffer, 0, dataSize,        \
                          kg_where.line);                                                                          \
  }
KG_LIBRARY_GELU(Gelu)
KG_LIBRARY_GELU(FasterGelu)
KG_LIBRARY_GELU(FasterGeluV2)
#undef KG_LIBRARY_GELU

// dst = f(a, b), in the same forms.
#define KG_LIBRARY_BINARY(Name, Op_, ...)                                                                         \
  template <typename T, bool isReuseSource = false>                                                               \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,             \
                   const uint32_t count, KG_WHERE) {                                                              \
    KG_TAKES(#Name, T, __VA_ARGS__);                                                                              \
    kg_detail::library<T>(::kgnpu::Op::Op_, dst, src0, &src1, nullptr, 0, count, kg_where.line);                  \
  }                                                                                                               \
  template <typename T, bool isReuseSource = false>                                                               \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, KG_WHERE) { \
    Name<T, isReuseSource>(dst, src0, src1, src0.GetSize(), kg_where);                                            \
  }                                                                                                               \
  template <typename T, bool isReuseSource = false>                                                               \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,             \
                   const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t count, KG_WHERE) {                 \
    KG_TAKES(#Name, T, __VA_ARGS__);                                                                              \
    kg_detail::library<T>(::kgnpu::Op::Op_, dst, src0, &src1, &sharedTmpBuffer, 0, count, kg_where.line);         \
  }                                                                                                               \
  template <typename T, bool isReuseSource = false>                                                               \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,             \
                   const LocalTensor<uint8_t>& sharedTmpBuffer, KG_WHERE) {                                       \
    Name<T, isReuseSource>(dst, src0, src1, sharedTmpBuffer, src0.GetSize(), kg_where);                           \
  }
KG_LIBRARY_BINARY(Fmod, kFmod, half, float)
KG_LIBRARY_BINARY(Hypot, kHypot, half, float)
KG_LIBRARY_BINARY(Xor, kXor, int16_t, uint16_t)
KG_LIBRARY_BINARY(GeGLU, kGeGlu, half, float)
KG_LIBRARY_BINARY(ReGlu, kReGlu, half, float)
#undef KG_LIBRARY_BINARY

// dst = src0 * src1 * sigmoid(scalar * src1)
namespace kg_detail {
template <typename T>
inline void swiglu(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                   const LocalTensor<uint8_t>* temporary, float scalar, uint32_t count, int line) {
  KG_TAKES("SwiGLU", T, half, float);
  library<T>(::kgnpu::Op::kSwiGlu, dst, src0, &src1, temporary, ::kgnpu::bits_of_float(scalar), count, line);
}
}  // namespace kg_detail
template <typename T, bool isReuseSource = false>
inline void SwiGLU(LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                   const float& scalarValue, const uint32_t count, KG_WHERE) {
  kg_detail::swiglu<T>(dst, src0, src1, nullptr, scalarValue, count, kg_where.line);
}
template <typename T, bool isReuseSource = false>
inline void SwiGLU(LocalTensor<T>& dst, LocalTensor<T>& src0, LocalTensor<T>& src1, const float& scalarValue,
                   KG_WHERE) {
  kg_detail::swiglu<T>(dst, src0, src1, nullptr, scalarValue, src0.GetSize(), kg_where.line);
}
template <typename T, bool isReuseSource = false>
inline void SwiGLU(LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                   const float& scalarValue, const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t count,
                   KG_WHERE) {
  kg_detail::swiglu<T>(dst, src0, src1, &sharedTmpBuffer, scalarValue, count, kg_where.line);
}
template <typename T, bool isReuseSource = false>
inline void SwiGLU(LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                   const float& scalarValue, const LocalTensor<uint8_t>& sharedTmpBuffer, KG_WHERE) {
  kg_detail::swiglu<T>(dst, src0, src1, &sharedTmpBuffer, scalarValue, src0.GetSize(), kg_where.line);
}

// dst = min or max of src and a scalar.
#define KG_LIBRARY_CLAMP(Name)                                                                                       \
  template <typename T, bool isReuseSource = false>                                                                  \
  inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const T scalar,                 \
                   const uint32_t calCount, KG_WHERE) {                                                              \
    KG_TAKES(#Name, T, half, float);                                                                                 \
    kg_detail::library<T>(::kgnpu::Op::k##Name, dstTensor, srcTensor, nullptr, nullptr, ::kgnpu::bits_of(scalar),    \
                          calCount, kg_where.line);                                                                  \
  }                                                                                                                  \
  template <typename T, bool isReuseSource = false>                                                                  \
  inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                                 \
                   const LocalTensor<uint8_t>& sharedTmpBuffer, const T scalar, const uint32_t calCount, KG_WHERE) { \
    KG_TAKES(#Name, T, half, float);                                                                                 \
    kg_detail::library<T>(::kgnpu::Op::k##Name, dstTensor, srcTensor, nullptr, &sharedTmpBuffer,                     \
                          ::kgnpu::bits_of(scalar), calCount, kg_where.line);                                        \
  }
KG_LIBRARY_CLAMP(ClampMax)
KG_LIBRARY_CLAMP(ClampMin)
#undef KG_LIBRARY_CLAMP

// Exp with a number of Taylor terms: a matter of accuracy on the device.
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
inline void Exp(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t calCount, KG_WHERE) {
  KG_TAKES("Exp", T, half, float);
  kg_detail::library<T>(::kgnpu::Op::kExp, dstLocal, srcLocal, nullptr, nullptr, 0, calCount, kg_where.line);
}
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
inline void Exp(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount, KG_WHERE) {
  KG_TAKES("Exp", T, half, float);
  kg_detail::library<T>(::kgnpu::Op::kExp, dstLocal, srcLocal, nullptr, &sharedTmpBuffer, 0, calCount, kg_where.line);
}

// Axpy with a temporary buffer.
template <typename T, typename U, bool isReuseSource = false>
inline void Axpy(const LocalTensor<T>& dstTensor, const LocalTensor<U>& srcTensor, const U scalarValue,
                 const LocalTensor<uint8_t>&, const uint32_t calCount, KG_WHERE) {
  Axpy(dstTensor, srcTensor, scalarValue, static_cast<int32_t>(calCount), kg_where);
}

// Power in the forms missing from high_level.h: for whole tensors, with a temporary buffer, with a scalar base.
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dst, const T& base, const LocalTensor<T>& exponent, uint32_t count, KG_WHERE) {
  KG_TAKES("Power", T, half, float);
  kg_detail::library<T>(::kgnpu::Op::kPowerBase, dst, exponent, nullptr, nullptr, ::kgnpu::bits_of(base), count,
                        kg_where.line);
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dst, const T& base, const LocalTensor<T>& exponent, KG_WHERE) {
  Power<T, isReuseSource>(dst, base, exponent, exponent.GetSize(), kg_where);
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dst, const LocalTensor<T>& base, const LocalTensor<T>& exponent, KG_WHERE) {
  Power<T, isReuseSource>(dst, base, exponent, base.GetSize(), kg_where);
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dst, const LocalTensor<T>& base, const T& exponent, KG_WHERE) {
  Power<T, isReuseSource>(dst, base, exponent, base.GetSize(), kg_where);
}
#define KG_POWER_SCRATCH(Base, Exponent, ...)                                                \
  template <typename T, bool isReuseSource = false>                                          \
  inline void Power(const LocalTensor<T>& dst, Base base, Exponent exponent,                 \
                    const LocalTensor<uint8_t>& sharedTmpBuffer, uint32_t count, KG_WHERE) { \
    KG_TAKES("Power", T, half, float);                                                       \
    kg_detail::library<T>(__VA_ARGS__, count, kg_where.line);                                \
  }                                                                                          \
  template <typename T, bool isReuseSource = false>                                          \
  inline void Power(const LocalTensor<T>& dst, Base base, Exponent exponent,                 \
                    const LocalTensor<uint8_t>& sharedTmpBuffer, KG_WHERE) {                 \
    Power<T, isReuseSource>(dst, base, exponent, sharedTmpBuffer, dst.GetSize(), kg_where);  \
  }
KG_POWER_SCRATCH(const LocalTensor<T>&, const LocalTensor<T>&, ::kgnpu::Op::kPower, dst, base, &exponent,
                 &sharedTmpBuffer, 0)
KG_POWER_SCRATCH(const LocalTensor<T>&, const T&, ::kgnpu::Op::kPowerScalar, dst, base, nullptr, &sharedTmpBuffer,
                 ::kgnpu::bits_of(exponent))
KG_POWER_SCRATCH(const T&, const LocalTensor<T>&, ::kgnpu::Op::kPowerBase, dst, exponent, nullptr, &sharedTmpBuffer,
                 ::kgnpu::bits_of(base))
#undef KG_POWER_SCRATCH

template <typename T, bool isReuseSource = false>
inline void Swish(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,
                  uint32_t count, const T& scalarValue, KG_WHERE) {
  KG_TAKES("Swish", T, half, float);
  kg_detail::library<T>(::kgnpu::Op::kSwish, dst, src, nullptr, &sharedTmpBuffer, ::kgnpu::bits_of(scalarValue), count,
                        kg_where.line);
}

}  // namespace AscendC
