package io.kvreactive.examples;

import io.kvreactive.examples.run.Screen;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A screen that records its output for a test. */
public final class CapturedScreen {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  public Screen screen(boolean terminal) {
    return new Screen(printer(out), printer(err), terminal);
  }

  private static PrintStream printer(ByteArrayOutputStream bytes) {
    return new PrintStream(bytes, true, StandardCharsets.UTF_8);
  }

  public String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  public List<String> lines() {
    return out().lines().toList();
  }

  public String err() {
    return err.toString(StandardCharsets.UTF_8);
  }
}
