// Writes a picture as PNG: it is painted at twice its size, and each pixel is the mean of four.
#include <weft/files/plot/picture.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <weft/io/escape.hpp>
#ifdef WEFT_WITH_PNG
#include <png.h>
#endif

namespace weft::files {

#ifdef WEFT_WITH_PNG

namespace {

constexpr int scale = 2, dot = 3; // a dot of the font has 3 x 3 painted pixels: 1.5 pixels of the picture

// A raster is the painted picture at `scale` times its size.
class raster {
public:
  explicit raster(const picture& drawn)
      : width_(static_cast<int>(drawn.width) * scale), height_(static_cast<int>(drawn.height) * scale),
        bytes_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_) * 3) {
    for (const auto& shape : drawn.shapes) std::visit(*this, shape);
  }

  void operator()(const filled& shape) {
    for (const rectangle& each : shape.rectangles)
      fill(pixel(each.x), pixel(each.y), pixel(each.x + each.width), pixel(each.y + each.height),
           shape.colour);
  }

  // Paints each line by moving a square of the stroke's width along it.
  void operator()(const strokes& shape) {
    const int size = std::max(1, pixel(shape.width));
    for (const polyline& line : shape.lines)
      for (std::size_t i = 1; i < line.size(); ++i) {
        const double dx = line[i].x - line[i - 1].x, dy = line[i].y - line[i - 1].y;
        const int steps = std::max(1, pixel(std::max(std::abs(dx), std::abs(dy))));
        for (int k = 0; k <= steps; ++k) {
          const int x = pixel(line[i - 1].x + dx * k / steps) - size / 2,
                    y = pixel(line[i - 1].y + dy * k / steps) - size / 2;
          fill(x, y, x + size, y + size, shape.colour);
        }
      }
  }

  void operator()(const caption& shape) {
    std::string letters;
    for (std::string_view rest = shape.text; !rest.empty();) {
      const std::size_t size = std::max<std::size_t>(1, io::utf8_size(rest));
      letters += size == 1 ? rest[0] : '\x7f';
      rest.remove_prefix(size);
    }
    const int length = (static_cast<int>(letters.size()) * 6 - 1) * dot,
              before = shape.where == anchor::begin    ? 0
                       : shape.where == anchor::middle ? length / 2
                                                       : length;
    for (int i = 0; i < static_cast<int>(letters.size()); ++i)
      for (int x = 0; x < 5; ++x)
        for (int y = 0; y < 9; ++y) {
          if (!font_dot(letters[static_cast<std::size_t>(i)], x, y)) continue;
          const int forth = (i * 6 + x) * dot - before, down = (y - 7) * dot;
          const int left = pixel(shape.at.x) + (shape.upright ? down : forth),
                    top = pixel(shape.at.y) + (shape.upright ? -forth - dot : down);
          fill(left, top, left + dot, top + dot, text_colour);
        }
  }

  [[nodiscard]] int width() const { return width_ / scale; }
  [[nodiscard]] int height() const { return height_ / scale; }

  [[nodiscard]] std::vector<unsigned char> means() const {
    std::vector<unsigned char> result;
    result.reserve(bytes_.size() / (scale * scale));
    for (int y = 0; y < height(); ++y)
      for (int x = 0; x < width(); ++x)
        for (std::size_t part = 0; part < 3; ++part) {
          unsigned sum = 0;
          for (int k = 0; k < scale * scale; ++k)
            sum += bytes_[at(x * scale + k % scale, y * scale + k / scale) + part];
          result.push_back(static_cast<unsigned char>(sum / (scale * scale)));
        }
    return result;
  }

private:
  static int pixel(double coordinate) { return static_cast<int>(std::lround(coordinate * scale)); }
  [[nodiscard]] std::size_t at(int x, int y) const {
    return (static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)) * 3;
  }

  void fill(int left, int top, int right, int bottom, std::uint32_t colour) {
    for (int y = std::max(0, top); y < std::min(height_, bottom); ++y)
      for (int x = std::max(0, left); x < std::min(width_, right); ++x)
        for (std::size_t part = 0; part < 3; ++part)
          bytes_[at(x, y) + part] = static_cast<unsigned char>(colour >> (16 - 8 * part));
  }

  int width_, height_;
  std::vector<unsigned char> bytes_; // red, green, blue
};

} // namespace

bool has_png() { return true; }

std::string png_image_of(const picture& drawn) {
  const raster painted(drawn);
  const std::vector<unsigned char> pixels = painted.means();
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(painted.width());
  image.height = static_cast<png_uint_32>(painted.height());
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), 0, nullptr) == 0)
    throw std::runtime_error(image.message);
  bytes.resize(size);
  return bytes;
}

#else

bool has_png() { return false; }

std::string png_image_of(const picture&) { throw std::logic_error("built without libpng"); }

#endif

} // namespace weft::files
