#pragma once

#include <string>

namespace kg::npu::reference {

// docs/reference/chip.md: every row of npu/chip.h.
std::string chip_page();

// The table of section "Time" in docs/design/emulated-npu.md: what the figures mean for a kernel.
std::string time_table();

// `page` with what is between the lines "<!-- NAME -->" and "<!-- end of NAME -->" replaced by `text`. Throws kg::Error
// if the page lacks them.
std::string with_section(const std::string& page, const std::string& name, const std::string& text);

}  // namespace kg::npu::reference
