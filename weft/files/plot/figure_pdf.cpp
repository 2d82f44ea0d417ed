// Writes a figure as PDF with one page, in the standard font Helvetica.
#include <weft/files/plot/figure.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <weft/base/error.hpp>
#include <weft/base/version.hpp>
#include <weft/io/escape.hpp>
#ifdef WEFT_WITH_PDF
#include <hpdf.h>
#endif

namespace weft::files {

#ifdef WEFT_WITH_PDF

namespace {

// Returns the text in Windows code page 1252. Letters outside of Latin-1 become question marks.
std::string latin_text(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t size = std::max<std::size_t>(1, io::utf8_size(text));
    const auto first = static_cast<unsigned char>(text[0]);
    if (size == 1)
      result += first >= ' ' && first <= '~' ? text[0] : '?';
    else if (size == 2 && first == 0xc3)
      result += static_cast<char>(static_cast<unsigned char>(text[1]) + 0x40);
    else if (size == 2 && first == 0xc2 && static_cast<unsigned char>(text[1]) >= 0xa0)
      result += text[1];
    else
      result += '?';
    text.remove_prefix(size);
  }
  return result;
}

// Draws a figure with libharu. libharu keeps its first error and ignores all later calls, so errors are
// checked only once, at the end.
class pdf_writer {
public:
  explicit pdf_writer(const figure& drawn)
      : document_(HPDF_New(nullptr, nullptr), HPDF_Free), height_(drawn.height) {
    if (document_ == nullptr) throw std::bad_alloc();
    HPDF_SetCompressionMode(document_.get(), HPDF_COMP_ALL);
    HPDF_SetInfoAttr(document_.get(), HPDF_INFO_TITLE, drawn.title.c_str());
    HPDF_SetInfoAttr(document_.get(), HPDF_INFO_CREATOR, "weft " WEFT_VERSION);
    font_ = HPDF_GetFont(document_.get(), "Helvetica", "WinAnsiEncoding");
    page_ = HPDF_AddPage(document_.get());
    HPDF_Page_SetWidth(page_, static_cast<float>(drawn.width));
    HPDF_Page_SetHeight(page_, static_cast<float>(drawn.height));
    for (const auto& shape : drawn.shapes) std::visit(*this, shape);
  }

  [[nodiscard]] std::string bytes() const {
    HPDF_SaveToStream(document_.get());
    std::string result(HPDF_GetStreamSize(document_.get()), '\0');
    auto size = static_cast<HPDF_UINT32>(result.size());
    HPDF_ReadFromStream(document_.get(), reinterpret_cast<HPDF_BYTE*>(result.data()), &size);
    if (const HPDF_STATUS status = HPDF_GetError(document_.get());
        status != HPDF_OK && status != HPDF_STREAM_EOF)
      throw std::runtime_error(fmt::format("libharu cannot write the PDF: error {:#x}", status));
    result.resize(size);
    return result;
  }

  void operator()(const figure_line& line) {
    set_stroke(line.colour, line.width);
    HPDF_Page_MoveTo(page_, x(line.from.x), y(line.from.y));
    HPDF_Page_LineTo(page_, x(line.to.x), y(line.to.y));
    HPDF_Page_Stroke(page_);
  }

  void operator()(const figure_box& box) {
    set_stroke(box.edge, 0.4);
    set_fill(box.fill);
    if (box.shape == box_shape::rounded)
      rounded(box.at);
    else
      arrow(box);
    HPDF_Page_FillStroke(page_);
  }

  void operator()(const figure_text& shape) {
    const std::string text = latin_text(shape.text);
    HPDF_Page_BeginText(page_);
    set_fill(shape.colour);
    HPDF_Page_SetFontAndSize(page_, font_, static_cast<float>(shape.size));
    const double width = shape.where == anchor::begin ? 0 : HPDF_Page_TextWidth(page_, text.c_str());
    HPDF_Page_TextOut(page_, x(shape.at.x - (shape.where == anchor::middle ? width / 2 : width)),
                      y(shape.at.y), text.c_str());
    HPDF_Page_EndText(page_);
  }

private:
  static float x(double coordinate) { return static_cast<float>(coordinate); }
  [[nodiscard]] float y(double coordinate) const {
    return static_cast<float>(height_ - coordinate);
  } // in PDF, y increases upwards
  static float part(std::uint32_t colour, unsigned shift) {
    return static_cast<float>(colour >> shift & 0xff) / 255;
  }
  void set_fill(std::uint32_t colour) {
    HPDF_Page_SetRGBFill(page_, part(colour, 16), part(colour, 8), part(colour, 0));
  }
  void set_stroke(std::uint32_t colour, double width) {
    HPDF_Page_SetRGBStroke(page_, part(colour, 16), part(colour, 8), part(colour, 0));
    HPDF_Page_SetLineWidth(page_, static_cast<float>(width));
  }

  void arrow(const figure_box& box) {
    const arrow_corners at = corners_of_arrow(box);
    const double top = box.at.y, bottom = top + box.at.height;
    HPDF_Page_MoveTo(page_, x(at.tail), y(top));
    HPDF_Page_LineTo(page_, x(at.neck), y(top));
    HPDF_Page_LineTo(page_, x(at.tip), y((top + bottom) / 2));
    HPDF_Page_LineTo(page_, x(at.neck), y(bottom));
    HPDF_Page_LineTo(page_, x(at.tail), y(bottom));
    HPDF_Page_ClosePath(page_);
  }

  void rounded(const rectangle& at) {
    const double r = std::min({corner_radius, at.width / 2, at.height / 2}),
                 c = 0.4477 * r; // distance that makes the curve a quarter of a circle
    const double left = at.x, right = at.x + at.width, top = at.y, bottom = at.y + at.height;
    const auto curve = [this](double x1, double y1, double x2, double y2, double x3, double y3) {
      HPDF_Page_CurveTo(page_, x(x1), y(y1), x(x2), y(y2), x(x3), y(y3));
    };
    HPDF_Page_MoveTo(page_, x(left + r), y(top));
    HPDF_Page_LineTo(page_, x(right - r), y(top));
    curve(right - c, top, right, top + c, right, top + r);
    HPDF_Page_LineTo(page_, x(right), y(bottom - r));
    curve(right, bottom - c, right - c, bottom, right - r, bottom);
    HPDF_Page_LineTo(page_, x(left + r), y(bottom));
    curve(left + c, bottom, left, bottom - c, left, bottom - r);
    HPDF_Page_LineTo(page_, x(left), y(top + r));
    curve(left, top + c, left + c, top, left + r, top);
    HPDF_Page_ClosePath(page_);
  }

  std::unique_ptr<std::remove_pointer_t<HPDF_Doc>, decltype(&HPDF_Free)> document_;
  double height_;
  HPDF_Font font_;
  HPDF_Page page_;
};

} // namespace

bool has_pdf() { return true; }

std::string figure_pdf(const figure& drawn) {
  constexpr double max_height = 14400; // points; the maximum height of a page in PDF
  if (drawn.height > max_height)
    throw error(
        errc::invalid_input,
        fmt::format("the figure is {:.0f} mm high, but a PDF page can be at most {:.0f} mm high: choose "
                    "fewer sequences or motifs",
                    drawn.height * 25.4 / 72, max_height * 25.4 / 72));
  return pdf_writer(drawn).bytes();
}

#else

bool has_pdf() { return false; }

std::string figure_pdf(const figure&) { throw std::logic_error("built without libharu"); }

#endif

} // namespace weft::files
