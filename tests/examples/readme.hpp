// readme: the check that the README shows the code of an example as it was compiled and run.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace headwater::test {

inline std::string content_of(std::string const& path)
{
    std::ifstream in(std::string(HEADWATER_SOURCE_DIR) + '/' + path);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// What stands between the two marks in `path` is a block of the README.
inline void expect_in_readme(std::string const& path)
{
    auto const source = content_of(path);
    std::string const from = "// README begins\n";
    auto const begin = source.find(from) + from.size();
    auto const shown = source.substr(begin, source.find("// README ends") - begin);
    ASSERT_GT(shown.size(), 200u);
    EXPECT_NE(content_of("README.md").find("```cpp\n" + shown + "```"), std::string::npos) << path;
}

}  // namespace headwater::test
