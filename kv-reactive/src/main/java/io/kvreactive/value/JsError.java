package io.kvreactive.value;

import org.jspecify.annotations.Nullable;

/**
 * A JavaScript {@code Error}, with what a structured clone preserves: the kind, the message, the
 * stack and the cause. JavaScript drops a custom name and other properties when it stores an error.
 *
 * <p>Compared by identity; the cause may refer back to the error itself.
 */
public final class JsError {
  /**
   * The error constructors that a structured clone preserves; every other becomes {@link #ERROR}.
   */
  public enum Kind {
    ERROR("Error", 0),
    EVAL_ERROR("EvalError", 'E'),
    RANGE_ERROR("RangeError", 'R'),
    REFERENCE_ERROR("ReferenceError", 'F'),
    SYNTAX_ERROR("SyntaxError", 'S'),
    TYPE_ERROR("TypeError", 'T'),
    URI_ERROR("URIError", 'U');

    private final String jsName;
    private final int code;

    Kind(String jsName, int code) {
      this.jsName = jsName;
      this.code = code;
    }

    /** Returns the name in JavaScript. */
    public String jsName() {
      return jsName;
    }

    /** Returns the letter in V8's format; 0 for a plain Error, which is written without one. */
    public int code() {
      return code;
    }

    /** Returns the kind of that letter, or {@link #ERROR} for an unknown letter. */
    public static Kind of(int code) {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      return ERROR;
    }
  }

  private final Kind kind;
  private @Nullable String message;
  private @Nullable String stack;
  private @Nullable Object cause;
  private boolean hasCause;

  /** Creates an error without message, stack and cause. */
  public JsError(Kind kind) {
    this.kind = kind;
  }

  /** Sets the message, null for no own message, and returns this. */
  public JsError withMessage(@Nullable String message) {
    this.message = message;
    return this;
  }

  /** Sets the stack, null for none, and returns this. */
  public JsError withStack(@Nullable String stack) {
    this.stack = stack;
    return this;
  }

  /** Sets the cause, any value, and returns this. */
  public JsError withCause(@Nullable Object cause) {
    this.cause = cause;
    this.hasCause = true;
    return this;
  }

  public Kind kind() {
    return kind;
  }

  public @Nullable String message() {
    return message;
  }

  public @Nullable String stack() {
    return stack;
  }

  /** Returns true if there is a cause, which may be null or undefined. */
  public boolean hasCause() {
    return hasCause;
  }

  public @Nullable Object cause() {
    return cause;
  }

  @Override
  public String toString() {
    return message == null ? kind.jsName() : kind.jsName() + ": " + message;
  }
}
