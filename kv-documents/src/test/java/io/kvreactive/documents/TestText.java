package io.kvreactive.documents;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Reads the lines of a test resource. */
public final class TestText {
  private TestText() {}

  public static List<String> lines(String resource) {
    try (InputStream in = TestText.class.getResourceAsStream("/" + resource)) {
      if (in == null) {
        throw new IllegalArgumentException("No resource " + resource);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
