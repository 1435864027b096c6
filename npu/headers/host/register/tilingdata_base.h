#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "graph/ascend_string.h"

// Tiling data as a class on the host; the kernel sees a structure with the same fields in the natural layout of C++.

namespace optiling {

class TilingDef {
 public:
  struct kg_Field {
    std::string type, name;
    size_t count;             // 0: no array
    size_t bytes, alignment;  // size and alignment of the whole field
    size_t offset;            // in the tiling data
    size_t member;            // offset of the value from the start of this object
    size_t nested;            // offset of a nested TilingDef, or kg_none
  };
  static constexpr size_t kg_none = ~static_cast<size_t>(0);

  virtual ~TilingDef() {}  // a function of the host, also where a kernel is compiled beside it
  size_t GetDataSize() const { return (kg_end + kg_alignment - 1) / kg_alignment * kg_alignment; }
  // Nothing is written if the capacity is too small.
  void SaveToBuffer(void* buffer, size_t capacity) const;
  const char* GetTilingClassName() const { return kg_class.c_str(); }
  void SetDataPtr(void*) {}
  size_t kg_align() const { return kg_alignment; }
  virtual bool kg_is_library() const { return false; }  // the kernel's headers declare the structure
  const std::vector<kg_Field>& kg_fields() const { return kg_list; }
  const TilingDef& kg_nested(const kg_Field& field) const {
    return *reinterpret_cast<const TilingDef*>(reinterpret_cast<const char*>(this) + field.nested);
  }

 protected:
  explicit TilingDef(const char* name) : kg_class(name) {}
  struct kg_Registered {
    kg_Registered(TilingDef& owner, const char* type, const char* name, size_t count, size_t bytes, size_t alignment,
                  const void* member, const TilingDef* nested = nullptr) {
      const auto at = [&](const void* address) {
        return static_cast<size_t>(static_cast<const char*>(address) - reinterpret_cast<const char*>(&owner));
      };
      const size_t offset = (owner.kg_end + alignment - 1) / alignment * alignment;
      owner.kg_list.push_back(
          {type, name, count, bytes, alignment, offset, at(member), nested == nullptr ? kg_none : at(nested)});
      owner.kg_end = offset + bytes;
      if (alignment > owner.kg_alignment) owner.kg_alignment = alignment;
    }
  };

 private:
  std::string kg_class;
  std::vector<kg_Field> kg_list;
  size_t kg_end = 0, kg_alignment = 1;
};

class CTilingDataClassFactory {
 public:
  using Maker = std::shared_ptr<TilingDef> (*)();
  static void RegisterTilingData(const char* op_type, Maker maker);
};

}  // namespace optiling

#define BEGIN_TILING_DATA_DEF(class_name)           \
  class class_name : public ::optiling::TilingDef { \
   public:                                          \
    class_name() : ::optiling::TilingDef(#class_name) {}

#define TILING_DATA_FIELD_DEF(data_type, field_name)                                                              \
 public:                                                                                                          \
  void set_##field_name(data_type value) { field_name = value; }                                                  \
  data_type get_##field_name() const { return field_name; }                                                       \
                                                                                                                  \
 private:                                                                                                         \
  data_type field_name = {};                                                                                      \
  kg_Registered kg_of_##field_name{*this,      #data_type, #field_name, 0, sizeof(data_type), alignof(data_type), \
                                   &field_name};                                                                  \
                                                                                                                  \
 public:

#define TILING_DATA_FIELD_DEF_ARR(arr_type, arr_size, field_name)                                                      \
 public:                                                                                                               \
  void set_##field_name(const arr_type* values) { std::memcpy(field_name, values, sizeof(field_name)); }               \
  arr_type* get_##field_name() { return field_name; }                                                                  \
  const arr_type* get_##field_name() const { return field_name; }                                                      \
                                                                                                                       \
 private:                                                                                                              \
  arr_type field_name[arr_size] = {};                                                                                  \
  kg_Registered kg_of_##field_name{*this,     #arr_type, #field_name, arr_size, sizeof(field_name), alignof(arr_type), \
                                   field_name};                                                                        \
                                                                                                                       \
 public:

#define TILING_DATA_FIELD_DEF_STRUCT(struct_type, field_name)                                                          \
 public:                                                                                                               \
  struct_type field_name;                                                                                              \
                                                                                                                       \
 private:                                                                                                              \
  kg_Registered kg_of_##field_name{                                                                                    \
      *this, #struct_type, #field_name, 0, field_name.GetDataSize(), field_name.kg_align(), &field_name, &field_name}; \
                                                                                                                       \
 public:

// Ends the class: sources may add a semicolon or omit it.
#define END_TILING_DATA_DEF \
  }                         \
  ;

#define REGISTER_TILING_DATA_CLASS(op_type, class_name)                                                         \
  namespace {                                                                                                   \
  struct op_type##class_name##Helper {                                                                          \
    op_type##class_name##Helper() {                                                                             \
      ::optiling::CTilingDataClassFactory::RegisterTilingData(                                                  \
          #op_type, []() -> std::shared_ptr<::optiling::TilingDef> { return std::make_shared<class_name>(); }); \
    }                                                                                                           \
  } g_tilingdata_##op_type##class_name##helper;                                                                 \
  }
