package io.kvreactive.documents.internal.functions;

import static io.kvreactive.documents.internal.value.Values.UNDEFINED;
import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.EvaluationContext;
import io.kvreactive.documents.spi.ScalarFunction;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * REGEXMATCH(text, pattern[, flags]): true if the pattern is found anywhere in the text. The flags
 * are {@code m} (^ and $ match at lines), {@code s} (. matches line ends), {@code i} (ignores
 * letter case) and {@code x} (ignores blanks in the pattern, and the rest of a line after #).
 *
 * <p>Patterns have the syntax of RE2, so that the time to match is linear in the text.
 * Backreferences, lookahead and lookbehind, which need backtracking, are not valid.
 *
 * <p>The result is undefined for patterns or flags that are not valid. The maximum size of a
 * pattern is 5,000 places, and the maximum depth 100 groups. The product of the text's length and
 * the pattern's size, which bounds the time, is at most 50 million. A call beyond these limits
 * fails with {@link FunctionLimitException}.
 */
final class RegexFunction implements ScalarFunction {
  private static final long MAX_STEPS = 50_000_000;

  /**
   * A pattern that is too large to compile. It fails when it is matched, not when a query is made.
   */
  private static final Matchable TOO_LARGE =
      text -> {
        throw new FunctionLimitException(
            "REGEXMATCH: the pattern is too large (expected: at most "
                + RegexComplexity.MAX_SIZE
                + " places, with its repetitions counted, and groups nested at most "
                + RegexComplexity.MAX_DEPTH
                + " deep)");
      };

  /** A pattern in a form that can be matched with a text. */
  private interface Matchable {
    boolean isFoundIn(String text);
  }

  /** Maximum length of a text that is matched without checkpoints. */
  private static final int SHORT = 256;

  /** A text with a checkpoint at each character, because RE2 has none. */
  private record Yielding(String text) implements CharSequence {
    @Override
    public int length() {
      return text.length();
    }

    @Override
    public char charAt(int index) {
      checkpoint();
      return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return text.subSequence(start, end);
    }

    @Override
    public String toString() {
      return text;
    }
  }

  @Override
  public String name() {
    return "REGEXMATCH";
  }

  @Override
  public int minArguments() {
    return 2;
  }

  @Override
  public int maxArguments() {
    return 3;
  }

  @Override
  public JsonNode call(JsonNode[] arguments, EvaluationContext context) {
    JsonNode flags = arguments.length > 2 ? arguments[2] : Values.EMPTY_TEXT;
    if (!LambdaFunction.allTexts(arguments)) {
      return UNDEFINED;
    }
    return find(arguments[0], compile(arguments[1], flags));
  }

  /** Compiles a constant pattern once. */
  @Override
  public ScalarFunction prepare(ConstantArguments constants) {
    JsonNode pattern = constants.get(1);
    JsonNode flags = constants.get(2);
    if (pattern == null) {
      return this;
    }
    Optional<Matchable> plain = Optional.ofNullable(compile(pattern, Values.EMPTY_TEXT));
    Optional<Matchable> flagged =
        flags == null ? Optional.empty() : Optional.ofNullable(compile(pattern, flags));
    ScalarFunction unprepared = this;
    return new LambdaFunction(
        name(),
        minArguments(),
        maxArguments(),
        true,
        true,
        (a, context) -> {
          if (a.length > 2 && flags == null) {
            return unprepared.call(a, context);
          }
          return find(a[0], (a.length > 2 ? flagged : plain).orElse(null));
        });
  }

  private static JsonNode find(JsonNode text, @Nullable Matchable pattern) {
    return pattern == null || !text.isTextual()
        ? UNDEFINED
        : Values.bool(pattern.isFoundIn(text.textValue()));
  }

  private static boolean isFound(Pattern pattern, String text) {
    if ((long) text.length() * pattern.programSize() > MAX_STEPS) {
      throw new FunctionLimitException(
          "REGEXMATCH: a text of "
              + text.length()
              + " characters is too long for a pattern of "
              + pattern.programSize()
              + " instructions (expected: a product of at most "
              + MAX_STEPS
              + ")");
    }
    return pattern.matcher(text.length() > SHORT ? new Yielding(text) : text).find();
  }

  private static @Nullable Matchable compile(JsonNode pattern, JsonNode flags) {
    if (!pattern.isTextual() || !flags.isTextual()) {
      return null;
    }
    int bits = 0;
    boolean extended = false;
    for (int i = 0; i < flags.textValue().length(); i++) {
      switch (flags.textValue().charAt(i)) {
        case 'm' -> bits |= Pattern.MULTILINE;
        case 's' -> bits |= Pattern.DOTALL;
        case 'i' -> bits |= Pattern.CASE_INSENSITIVE;
        case 'x' -> extended = true;
        default -> {
          return null;
        }
      }
    }
    String text = extended ? withoutBlanks(pattern.textValue()) : pattern.textValue();
    if (!RegexComplexity.isSmall(text)) {
      return TOO_LARGE;
    }
    try {
      Pattern compiled = Pattern.compile(text, bits);
      return value -> isFound(compiled, value);
    } catch (PatternSyntaxException e) {
      return null;
    }
  }

  /**
   * Removes blanks and comments, because RE2 lacks the flag {@code x}. Blanks in classes and after
   * a backslash stay.
   */
  private static String withoutBlanks(String pattern) {
    StringBuilder kept = new StringBuilder(pattern.length());
    boolean inClass = false;
    for (int i = 0; i < pattern.length(); i++) {
      char c = pattern.charAt(i);
      if (c == '\\' && i + 1 < pattern.length()) {
        char next = pattern.charAt(++i);
        // an escaped blank no longer needs a backslash, which RE2 would reject
        kept.append(TextArguments.isBlank(next) ? "" : "\\").append(next);
      } else if (inClass || (!TextArguments.isBlank(c) && c != '#')) {
        inClass = c == '[' || (inClass && c != ']');
        kept.append(c);
      } else if (c == '#') {
        int end = pattern.indexOf('\n', i);
        i = end < 0 ? pattern.length() : end;
      }
    }
    return kept.toString();
  }
}
