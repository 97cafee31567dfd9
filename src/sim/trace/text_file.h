// Reads a text file line by line, plain or compressed with gzip.
#ifndef PHALANX_SIM_TRACE_TEXT_FILE_H_
#define PHALANX_SIM_TRACE_TEXT_FILE_H_

#include <cstdint>
#include <string>

struct gzFile_s;

namespace phalanx::sim {

class TextFile {
 public:
  explicit TextFile(const std::string& path);
  ~TextFile();
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  // The next line without its end. False at the end of the file and after an error.
  bool Next(std::string& line);
  // Number of the line that Next gave last, from 1.
  int64_t line() const { return line_; }
  // Why the file can not be read (further); empty if all is well.
  const std::string& error() const { return error_; }

 private:
  bool Fill();

  gzFile_s* file_;
  std::string buffer_;
  size_t at_ = 0;
  int64_t line_ = 0;
  std::string error_;
};

}  // namespace phalanx::sim

#endif  // PHALANX_SIM_TRACE_TEXT_FILE_H_
