// LoadData with LoadData3DParamsV2 (img2col): each row of the matrix is what one position of the filter covers.

#include <algorithm>
#include <cstring>

#include "npu/chip.h"
#include "npu/machine/cube.h"

namespace kg::npu {
namespace {

// The image is stored in L1 as [channels / C0][height][width][C0]; the matrix has Ho * Wo rows, and columns in the
// order [channels / C0][filter height][filter width][C0].
class Columns {
 public:
  Columns(const kgnpu::LoadImageCall& call, const CubeState::Image& image)
      : call_(call), image_(image), c0_(LocalMemory::kUnit / call.element_bytes) {
    out_width_ = outputs(image.width + image.pad[0] + image.pad[1], call.filter_w, call.dilation_w, call.stride_w);
    out_height_ = outputs(image.height + image.pad[2] + image.pad[3], call.filter_h, call.dilation_h, call.stride_h);
  }
  std::int64_t c0() const { return c0_; }
  std::int64_t rows() const { return out_width_ * out_height_; }
  std::int64_t columns() const { return ceil_div(call_.channels, c0_) * call_.filter_h * call_.filter_w * c0_; }
  std::int64_t bytes() const {
    return ceil_div(call_.channels, c0_) * image_.height * image_.width * LocalMemory::kUnit;
  }
  // Bytes from the start of the image to the element, -1: in the padding.
  std::int64_t place(std::int64_t row, std::int64_t column) const {
    const std::int64_t in_c0 = column % c0_, window = column / c0_;
    const std::int64_t kw = window % call_.filter_w, kh = window / call_.filter_w % call_.filter_h;
    const std::int64_t c1 = window / (call_.filter_w * call_.filter_h);
    const std::int64_t h = row / out_width_ * call_.stride_h + kh * call_.dilation_h - image_.pad[2];
    const std::int64_t w = row % out_width_ * call_.stride_w + kw * call_.dilation_w - image_.pad[0];
    if (h < 0 || h >= image_.height || w < 0 || w >= image_.width) return -1;
    return ((c1 * image_.height + h) * image_.width + w) * LocalMemory::kUnit + in_c0 * call_.element_bytes;
  }

 private:
  static std::int64_t outputs(std::int64_t size, std::int64_t filter, std::int64_t dilation, std::int64_t stride) {
    const std::int64_t reach = (filter - 1) * dilation + 1;
    return size < reach || stride == 0 ? 0 : (size - reach) / stride + 1;
  }
  const kgnpu::LoadImageCall& call_;
  const CubeState::Image& image_;
  std::int64_t c0_, out_width_ = 0, out_height_ = 0;
};

constexpr const char* kName = "LoadData with LoadData3DParamsV2";

// A part of the matrix ends with a fractal, or holds the start of the last one.
bool ends_whole(std::int64_t start, std::int64_t extent, std::int64_t all, std::int64_t side) {
  return extent % side == 0 || start + extent > (ceil_div(all, side) - 1) * side;
}

// What the call's page does not allow; empty if nothing.
std::string refusal(const kgnpu::LoadImageCall& call, const CubeState::Image& image, const Columns& columns,
                    Memory memory) {
  const std::int64_t c0 = columns.c0(), rest = call.channels % c0;
  if (call.filter_w == 0 || call.filter_h == 0 || call.dilation_w == 0 || call.dilation_h == 0)
    return "filter sizes and dilations are at least 1";
  if (call.stride_w == 0 || call.stride_h == 0 || call.stride_w > 63 || call.stride_h > 63)
    return message_of("strideW ", call.stride_w, " and strideH ", call.stride_h, "; both are 1 to 63");
  if (image.width < 1 || image.width > 32767 || image.height < 1 || image.height > 32767)
    return "l1W " + std::to_string(image.width) + " and l1H " + std::to_string(image.height) + "; both are 1 to 32767" +
           (call.keep_shape ? ", and come from SetFmatrix where isSetFMatrix is false" : "");
  if (columns.rows() == 0) return "the filter is larger than the image with its padding, so there are no rows to load";
  if (call.channels == 0 || (rest != 0 && rest != 4 && rest != 8 && rest != 16))
    return "channelSize " + std::to_string(call.channels) + "; for this type it is a multiple of " +
           std::to_string(c0) + ", or 4" + (c0 > 8 ? c0 > 16 ? ", 8 or 16" : " or 8" : "") + " above one";
  if (memory == Memory::kL0b && call.element_bytes == 1)
    return "L0B takes 2-byte and 4-byte types only; use LoadDataWithTranspose for bytes";
  if (call.k_start % c0 != 0) return "kStartPt is a multiple of " + std::to_string(c0) + " for this type";
  if (call.m_start % 16 != 0 && call.m_start + call.m_extent <= (ceil_div(columns.rows(), 16) - 1) * 16)
    return "mStartPt is a multiple of 16, except for a part that holds the last rows";
  return "";
}

void check_parameters(Core& core, const kgnpu::LoadImageCall& call, const CubeState::Image& image,
                      const Columns& columns, Memory memory) {
  if (const std::string wrong = refusal(call, image, columns, memory); !wrong.empty())
    core.fail(FaultClass::kArgument, kName, ": ", wrong);
  const std::int64_t c0 = columns.c0();
  if (ends_whole(call.m_start, call.m_extent, columns.rows(), 16) &&
      (call.channels % c0 != 0 || ends_whole(call.k_start, call.k_extent, columns.columns(), c0)))
    return;
  core.warning(FaultClass::kArgument, kName, ": a part with kExtension ", call.k_extent, " and mExtension ",
               call.m_extent, " ends inside a fractal of ", c0, " columns and 16 rows, and not at the matrix's end");
}

// The image in L1: in one piece from where its tensor begins, or up to the boundary and on from address 0.
class Source {
 public:
  Source(Core& core, const kgnpu::Local& tensor, std::int64_t bytes)
      : core_(core), start_(tensor.address), boundary_(core.cube.image_boundary), bytes_(bytes) {
    if (boundary_ != 0 && start_ >= boundary_)
      core.fail(FaultClass::kArgument, kName, ": the image starts at byte ", start_, " of L1, behind the boundary of ",
                boundary_, " that SetLoadDataBoundary has set");
    before_ = boundary_ == 0 ? bytes : std::min(bytes, boundary_ - start_);
    check_local(core, kName, "the source tensor", tensor, before_, {.memory = Memory::kL1});
    if (bytes - before_ <= boundary_) return;
    core.fail(FaultClass::kArgument, kName, ": the image has ", bytes, " bytes, more than lie before the boundary of ",
              boundary_);
  }
  std::int64_t place(std::int64_t at) const { return at < before_ ? start_ + at : at - before_; }
  void touch(const Instruction& instruction) const {
    touch_local(core_, kName, instruction, start_, before_, /*writes=*/false, Memory::kL1);
    if (bytes_ > before_) touch_local(core_, kName, instruction, 0, bytes_ - before_, /*writes=*/false, Memory::kL1);
  }

 private:
  Core& core_;
  std::int64_t start_, boundary_, bytes_, before_ = 0;
};

// The place of element (row, column) of the loaded part. L0A: 16 x C0 fractals, row of fractals by row. L0B: C0 x 16
// fractals that hold columns, row of fractals by row.
std::int64_t target_place(Memory memory, std::int64_t row, std::int64_t column, std::int64_t columns, std::int64_t c0,
                          std::int64_t element) {
  if (memory == Memory::kL0a)
    return (row / 16 * ceil_div(columns, c0) + column / c0) * kFractalBytes + row % 16 * LocalMemory::kUnit +
           column % c0 * element;
  return (row / c0 * ceil_div(columns, 16) + column / 16) * kFractalBytes + column % 16 * LocalMemory::kUnit +
         row % c0 * element;
}

}  // namespace
}  // namespace kg::npu

using namespace kg::npu;

extern "C" {

void kgnpu_set_image(uint16_t height, uint16_t width, const uint8_t* pad, int right) {
  CubeState::Image& image = core().cube.image[right != 0];
  image.height = height;
  image.width = width;
  std::copy(pad, pad + 4, image.pad);
}

void kgnpu_set_image_padding(uint64_t value) { core().cube.image_padding = value; }

void kgnpu_set_image_boundary(uint32_t bytes, int line) {
  Core& self = core();
  if (!begin_cube_call(self, line)) return;
  if (bytes != 0 && (bytes < 1024 || bytes > kind_of(Memory::kL1).bytes || bytes % LocalMemory::kUnit != 0))
    self.fail(FaultClass::kArgument, "SetLoadDataBoundary: ", bytes,
              " bytes; a boundary is 0 or a multiple of 32 from 1024 to ", kind_of(Memory::kL1).bytes);
  self.cube.image_boundary = bytes;
}

void kgnpu_set_image_repeat(uint32_t times, int line) {
  Core& self = core();
  if (!begin_cube_call(self, line) || times <= 1) return;
  self.fail(FaultClass::kArgument, "SetLoadDataRepeat: a repeatTime of ", times,
            " is not yet supported by the emulated device; load the parts one by one");
}

void kgnpu_load_image(const kgnpu::LoadImageCall* call) {
  Core& self = core();
  if (!begin_cube_call(self, call->line)) return;
  if (!call->keep_shape) kgnpu_set_image(call->height, call->width, call->pad, call->right_matrix);
  if (!call->keep_padding_value) self.cube.image_padding = call->padding_value;
  if (call->k_extent == 0 || call->m_extent == 0)
    return self.warning(FaultClass::kArgument, kName,
                        ": kExtension or mExtension is 0, so the call loads nothing; both are at least 1");
  const Memory memory = memory_among(self, kName, "the destination tensor", *call->dst, {Memory::kL0a, Memory::kL0b});
  memory_among(self, kName, "the source tensor", *call->src, {Memory::kL1});
  const CubeState::Image& image = self.cube.image[call->right_matrix != 0];
  const Columns columns(*call, image);
  check_parameters(self, *call, image, columns, memory);
  const std::int64_t c0 = columns.c0(), element = call->element_bytes;
  const bool transposed = call->transpose && memory == Memory::kL0a && element != 1;
  const std::int64_t rows = transposed ? call->k_extent : call->m_extent;
  const std::int64_t width = transposed ? call->m_extent : call->k_extent;
  const std::int64_t row_side = memory == Memory::kL0a ? 16 : c0, column_side = memory == Memory::kL0a ? c0 : 16;
  const std::int64_t bytes = ceil_div(rows, row_side) * ceil_div(width, column_side) * kFractalBytes;
  check_local(self, kName, "the destination tensor", *call->dst, bytes, {.memory = memory});
  const Source source_image(self, *call->src, columns.bytes());
  const double rate = memory == Memory::kL0b ? chip::kL0bBytesPerCycle : chip::kL0aBytesPerCycle;
  const Instruction instruction = self.issue(kMte1, chip::kCubeMoveStart + static_cast<double>(bytes) / rate,
                                             chip::kCubeMoveLatency, kName, static_cast<std::uint64_t>(bytes));
  LocalMemory& from = self.memory(Memory::kL1);
  LocalMemory& to = self.memory(memory);
  source_image.touch(instruction);
  touch_local(self, kName, instruction, call->dst->address, bytes, /*writes=*/true, memory);
  // Anything in the last fractals beyond the image or the requested part is garbage; padding has its value.
  std::memset(to.data() + call->dst->address, 0xFF, static_cast<std::size_t>(bytes));
  to.set_defined(call->dst->address, bytes, false);
  for (std::int64_t m = 0; m < call->m_extent; ++m) {
    if (call->m_start + m >= columns.rows()) break;
    for (std::int64_t k = 0; k < call->k_extent; ++k) {
      const std::int64_t source = columns.place(call->m_start + m, call->k_start + k);
      const std::int64_t target = call->dst->address + (transposed ? target_place(memory, k, m, width, c0, element)
                                                                   : target_place(memory, m, k, width, c0, element));
      const auto size = static_cast<std::size_t>(element);
      if (source < 0) {
        std::memcpy(to.data() + target, &self.cube.image_padding, size);
        to.set_defined(target, element, true);
      } else if (source < columns.bytes()) {
        std::memcpy(to.data() + target, from.data() + source_image.place(source), size);
        std::memcpy(to.defined() + target, from.defined() + source_image.place(source), size);
      }
    }
  }
}

}  // extern "C"
