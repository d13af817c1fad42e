package io.kvreactive.documents.internal.functions;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Case variants of the start of a text, for STARTSWITH and STRINGEQUALS without regard to letter
 * case.
 */
public final class CaseVariants {
  /**
   * Maximum number of characters. More would give more ranges to read: four characters with two
   * forms each give sixteen.
   */
  private static final int MAX_CHARS = 3;

  /** All forms of the characters with several forms, by their folded form. */
  private static final Map<Character, List<Character>> FORMS = forms();

  private CaseVariants() {}

  private static Map<Character, List<Character>> forms() {
    Map<Character, List<Character>> forms = new HashMap<>();
    for (char c = 0; c < Character.MAX_VALUE; c++) {
      forms.computeIfAbsent(TextArguments.fold(c), folded -> new ArrayList<>(1)).add(c);
    }
    forms.values().removeIf(same -> same.size() == 1);
    return Map.copyOf(forms);
  }

  /**
   * Returns all case variants of the first three characters of a text, or of fewer if the text is
   * shorter; some sixty at most. Any text with an equal start, ignoring case, starts with one of
   * the variants.
   */
  public static List<String> ofStart(String text) {
    List<String> starts = List.of("");
    int length = Math.min(MAX_CHARS, text.length());
    if (length > 1 && Character.isHighSurrogate(text.charAt(length - 1))) {
      length--; // never cuts a surrogate pair
    }
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      List<String> longer = new ArrayList<>();
      for (String start : starts) {
        FORMS
            .getOrDefault(TextArguments.fold(c), List.of(c))
            .forEach(form -> longer.add(start + form));
      }
      starts = longer;
    }
    return starts;
  }
}
