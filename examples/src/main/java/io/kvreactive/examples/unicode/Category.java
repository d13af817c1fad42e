package io.kvreactive.examples.unicode;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The general categories of Unicode with their short names, without surrogates and private use. */
public enum Category {
  UPPERCASE_LETTER("Lu", Character.UPPERCASE_LETTER),
  LOWERCASE_LETTER("Ll", Character.LOWERCASE_LETTER),
  TITLECASE_LETTER("Lt", Character.TITLECASE_LETTER),
  MODIFIER_LETTER("Lm", Character.MODIFIER_LETTER),
  OTHER_LETTER("Lo", Character.OTHER_LETTER),
  NON_SPACING_MARK("Mn", Character.NON_SPACING_MARK),
  COMBINING_SPACING_MARK("Mc", Character.COMBINING_SPACING_MARK),
  ENCLOSING_MARK("Me", Character.ENCLOSING_MARK),
  DECIMAL_DIGIT_NUMBER("Nd", Character.DECIMAL_DIGIT_NUMBER),
  LETTER_NUMBER("Nl", Character.LETTER_NUMBER),
  OTHER_NUMBER("No", Character.OTHER_NUMBER),
  CONNECTOR_PUNCTUATION("Pc", Character.CONNECTOR_PUNCTUATION),
  DASH_PUNCTUATION("Pd", Character.DASH_PUNCTUATION),
  START_PUNCTUATION("Ps", Character.START_PUNCTUATION),
  END_PUNCTUATION("Pe", Character.END_PUNCTUATION),
  INITIAL_QUOTE_PUNCTUATION("Pi", Character.INITIAL_QUOTE_PUNCTUATION),
  FINAL_QUOTE_PUNCTUATION("Pf", Character.FINAL_QUOTE_PUNCTUATION),
  OTHER_PUNCTUATION("Po", Character.OTHER_PUNCTUATION),
  MATH_SYMBOL("Sm", Character.MATH_SYMBOL),
  CURRENCY_SYMBOL("Sc", Character.CURRENCY_SYMBOL),
  MODIFIER_SYMBOL("Sk", Character.MODIFIER_SYMBOL),
  OTHER_SYMBOL("So", Character.OTHER_SYMBOL),
  SPACE_SEPARATOR("Zs", Character.SPACE_SEPARATOR),
  LINE_SEPARATOR("Zl", Character.LINE_SEPARATOR),
  PARAGRAPH_SEPARATOR("Zp", Character.PARAGRAPH_SEPARATOR),
  CONTROL("Cc", Character.CONTROL),
  FORMAT("Cf", Character.FORMAT);

  private static final Map<Byte, Category> BY_TYPE =
      Arrays.stream(values())
          .collect(Collectors.toUnmodifiableMap(c -> c.type, Function.identity()));

  private final String shortName;
  private final byte type;

  Category(String shortName, byte type) {
    this.shortName = shortName;
    this.type = type;
  }

  static Category of(int codePoint) {
    return Objects.requireNonNull(BY_TYPE.get((byte) Character.getType(codePoint)));
  }

  /** Returns the short name of two letters, such as {@code Lu}. */
  public String shortName() {
    return shortName;
  }
}
