// The reader over expat, a conforming parser: what is not well-formed is an error, never half a tree.
#include "adapters/xml/xml.hpp"

#include <expat.h>

#include <exception>
#include <memory>
#include <new>

namespace headwater::xml {

namespace {

std::string_view local_name(std::string_view qualified) { return qualified.substr(qualified.find(':') + 1); }

/// Builds the tree from expat's callbacks. An open element's siblings cannot grow, so pointers to open ones hold.
class builder {
public:
    explicit builder(XML_Parser parser) : parser_(parser)
    {
        XML_SetUserData(parser, this);
        XML_SetElementHandler(parser, on_start, on_end);
        XML_SetCharacterDataHandler(parser, on_text);
        XML_SetStartDoctypeDeclHandler(parser, on_doctype);
    }

    element take() { return std::move(above_.children.front()); }

    /// Throws what a callback threw: an exception must not cross expat's frames.
    void rethrow() const
    {
        if (thrown_) std::rethrow_exception(thrown_);
    }
    char const* refusal() const noexcept { return refusal_; }

private:
    static builder& of(void* self) { return *static_cast<builder*>(self); }

    static void on_start(void* self, XML_Char const* name, XML_Char const** attributes) noexcept
    {
        of(self).guarded([&](builder& b) { b.open(name, attributes); });
    }
    static void on_end(void* self, XML_Char const*) noexcept { of(self).open_.pop_back(); }
    static void on_text(void* self, XML_Char const* text, int length) noexcept
    {
        of(self).guarded([&](builder& b) { b.open_.back()->text.append(text, static_cast<std::size_t>(length)); });
    }
    static void on_doctype(void* self, XML_Char const*, XML_Char const*, XML_Char const*, int) noexcept
    {
        of(self).stop("it declares a document type");
    }

    template <class Step>
    void guarded(Step step) noexcept
    {
        try {
            step(*this);
        } catch (...) {
            thrown_ = std::current_exception();
            stop("out of memory");
        }
    }

    void open(std::string_view name, XML_Char const** attributes)
    {
        if (open_.size() > max_depth) return stop("it is nested too deeply");
        element& made = open_.back()->children.emplace_back();
        made.name = local_name(name);
        for (; *attributes != nullptr; attributes += 2) {
            made.attributes.emplace_back(local_name(attributes[0]), attributes[1]);
        }
        open_.push_back(&made);
    }

    void stop(char const* why) noexcept
    {
        refusal_ = why;
        XML_StopParser(parser_, XML_FALSE);
    }

    XML_Parser parser_;
    element above_;  ///< Its only child is the root.
    std::vector<element*> open_{&above_};
    std::exception_ptr thrown_;
    char const* refusal_ = nullptr;
};

error malformed(std::string why) { return {errc::protocol, "the XML document cannot be read: " + std::move(why)}; }

}  // namespace

element const* element::child(std::string_view wanted) const noexcept
{
    for (element const& each : children) {
        if (each.name == wanted) return &each;
    }
    return nullptr;
}

std::string_view element::text_of(std::string_view wanted) const noexcept
{
    element const* const found = child(wanted);
    return found ? std::string_view(found->text) : std::string_view();
}

std::string_view element::attribute(std::string_view wanted) const noexcept
{
    for (auto const& [label, value] : attributes) {
        if (label == wanted) return value;
    }
    return {};
}

result<element> parse(std::string_view document)
{
    if (document.size() > max_document_bytes) return malformed("it is larger than max_document_bytes");
    std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> const parser(XML_ParserCreate(nullptr),
                                                                              XML_ParserFree);
    if (!parser) throw std::bad_alloc();
    builder tree(parser.get());
    auto const status = XML_Parse(parser.get(), document.data(), static_cast<int>(document.size()), XML_TRUE);
    if (status == XML_STATUS_OK) return tree.take();
    tree.rethrow();
    if (tree.refusal()) return malformed(tree.refusal());
    return malformed(std::string(XML_ErrorString(XML_GetErrorCode(parser.get()))) + " in line "
                     + std::to_string(XML_GetCurrentLineNumber(parser.get())));
}

}  // namespace headwater::xml
