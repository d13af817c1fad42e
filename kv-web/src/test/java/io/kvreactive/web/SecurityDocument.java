package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The text of docs/security.md. */
public final class SecurityDocument {
  private SecurityDocument() {}

  /** Returns the text of the document. */
  public static String document() throws IOException {
    return Files.readString(Path.of("../docs/security.md"));
  }

  /** Returns a number in the format of the document: 1,000. */
  public static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** Checks that the tables have a limit with this value. */
  public static void hasRow(String limit, String value) throws IOException {
    assertThat(document()).contains("| " + limit + " | " + value + " |");
  }
}
