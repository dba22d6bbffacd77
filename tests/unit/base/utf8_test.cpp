// Every class of well-formed and broken sequence.
#include "src/base/utf8.hpp"

#include <gtest/gtest.h>

namespace headwater {
namespace {

using namespace std::literals;

TEST(utf8, length_is_that_of_the_well_formed_sequence)
{
    struct row {
        std::string_view text;
        std::size_t length;
    };
    for (auto const& [text, length] : {
             row{"", 0},
             row{"a", 1},
             row{"\0"sv, 1},
             row{"\x7F", 1},
             row{"\xC2\x80", 2},
             row{"\xDF\xBF", 2},
             row{"\xE0\xA0\x80", 3},
             row{"\xED\x9F\xBF", 3},
             row{"\xEE\x80\x80", 3},
             row{"\xEF\xBF\xBF", 3},
             row{"\xF0\x90\x80\x80", 4},
             row{"\xF4\x8F\xBF\xBF", 4},
             row{"\x80", 0},              // a continuation alone
             row{"\xC0\x80", 0},          // overlong
             row{"\xC1\xBF", 0},          // overlong
             row{"\xE0\x9F\xBF", 0},      // overlong
             row{"\xF0\x8F\xBF\xBF", 0},  // overlong
             row{"\xED\xA0\x80", 0},      // a surrogate
             row{"\xED\xBF\xBF", 0},      // a surrogate
             row{"\xF4\x90\x80\x80", 0},  // above U+10FFFF
             row{"\xF5\x80\x80\x80", 0},
             row{"\xFF", 0},
             row{"\xC2", 0},  // cut off
             row{"\xE0\xA0", 0},
             row{"\xF0\x90\x80", 0},
             row{"\xC2\x41", 0},
             row{"\xE1\x80\x41", 0},
             row{"\xF1\x80\x80\x41", 0},
         }) {
        EXPECT_EQ(utf8_length(text), length) << testing::PrintToString(text);
    }
}

}  // namespace
}  // namespace headwater
