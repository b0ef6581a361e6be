#pragma once

namespace copse {

/// Tells work that it has been cancelled. Made from a std::stop_token, or from any type that can be copied and has
/// bool stop_requested() const; made from nothing, it never cancels.
/// (A type of its own, since the header of std::stop_token takes longer to compile than all of copse.h.)
class CancelToken {
 public:
  CancelToken() = default;
  template <class Token>
  requires requires(const Token& token) { token.stop_requested() ? 1 : 0; }
  CancelToken(const Token& token) : source_(new SourceOf<Token>(token)) {}

  CancelToken(const CancelToken& other) : source_(other.source_ ? other.source_->copy() : nullptr) {}
  CancelToken& operator=(const CancelToken& other) {
    CancelToken token(other);
    Source* const before = source_;
    source_ = token.source_;
    token.source_ = before;
    return *this;
  }
  ~CancelToken() { delete source_; }

  bool stop_requested() const { return source_ != nullptr && source_->stop_requested(); }

 private:
  struct Source {
    virtual ~Source() = default;
    virtual bool stop_requested() const = 0;
    virtual Source* copy() const = 0;
  };

  template <class Token>
  struct SourceOf final : Source {
    explicit SourceOf(const Token& from) : token(from) {}
    bool stop_requested() const override { return token.stop_requested(); }
    Source* copy() const override { return new SourceOf(token); }
    Token token;
  };

  Source* source_ = nullptr;
};

}  // namespace copse
