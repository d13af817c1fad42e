package io.kvreactive.index.internal.functions;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How texts may begin that are the same as another when letter case is ignored, as STARTSWITH and
 * STRINGEQUALS do.
 */
public final class CaseVariants {
  /** More would be more ranges to read: four characters of two forms each are sixteen. */
  private static final int MOST_CHARS = 3;

  /** All forms of those characters that have more than one, by what they are folded to. */
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
   * The first three characters of a text, or as many as it has, in all forms: some sixty at most.
   * Whatever begins like the text begins with one of these.
   */
  public static List<String> ofStart(String text) {
    List<String> starts = List.of("");
    int length = Math.min(MOST_CHARS, text.length());
    if (length > 1 && Character.isHighSurrogate(text.charAt(length - 1))) {
      length--; // not half of a pair
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
