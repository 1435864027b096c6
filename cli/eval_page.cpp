#include "cli/eval_page.h"

#include <spdlog/fmt/fmt.h>

#include <nlohmann/json.hpp>

#include "cli/report_chart.h"
#include "cli/report_page.h"

namespace kg::cli {

std::string html_of(const evaluation::Tables& tables, const nlohmann::json& record) {
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
      "<title>{0}</title><style>{1}td,th{{padding:2px "
      "10px;text-align:right}}td:first-child{{text-align:left}}</style></head>"
      "<body><main><h1>{0}</h1><p class=\"lead\">kgtrain eval</p><div class=\"scroll\"><table>",
      escape_html(tables.label), report_style());
  bool first = true;
  for (const evaluation::TableRow& row : evaluation::rows_of(tables)) {
    html += "<tr>";
    for (const std::string& cell : row)
      html += (first ? "<th>" : "<td>") + escape_html(cell) + (first ? "</th>" : "</td>");
    html += "</tr>";
    first = false;
  }
  const std::string turns = tables.turns ? "\n" + evaluation::text_of(*tables.turns, /*columns=*/0) : "";
  return html + "</table></div><pre>" + escape_html(evaluation::notes_of(tables) + turns) +
         "</pre><h2>Record</h2><pre>" + escape_html(record.dump(2)) + "</pre></main></body></html>\n";
}

}  // namespace kg::cli
