package io.kvreactive.server.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Splitting of input lines into batches, and summaries of the answers. */
class RemoteLinesTest {
  private static LineBatches batches(String text) {
    InputStream in = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    return new LineBatches(in, 6, 8);
  }

  private static String next(LineBatches batches) {
    byte[] next = batches.next();
    return next == null ? "none" : batches.firstLine() + ":" + new String(next);
  }

  @Test
  void splitsAtLines() {
    LineBatches batches = batches("a\nbb\nccc\n\n12345678\nd");
    assertThat(next(batches)).isEqualTo("1:a\nbb\nccc\n");
    assertThat(next(batches)).isEqualTo("4:\n12345678\n");
    assertThat(next(batches)).isEqualTo("6:d");
    assertThat(next(batches)).isEqualTo("none");
    assertThat(next(batches(""))).isEqualTo("none");
  }

  @Test
  void startsAtALine() {
    LineBatches batches = batches("a\nbb\n\nccc\n12345678\nd").startingAt(3);
    assertThat(next(batches)).isEqualTo("3:\nccc\n12345678\n");
    assertThat(batches.lastLine()).isEqualTo(5);
    assertThat(next(batches)).isEqualTo("6:d");
    assertThat(batches.lastLine()).isEqualTo(6);
    assertThat(next(batches)).isEqualTo("none");
    assertThat(next(batches("123456789\na\n").startingAt(2))).isEqualTo("2:a\n");
    for (String two : new String[] {"a\nb", "a\nb\n"}) { // both may be stored
      assertThat(next(batches(two).startingAt(3))).isEqualTo("none");
      assertThatThrownBy(() -> batches(two).startingAt(4))
          .isInstanceOfSatisfying(CliException.class, e -> assertThat(e.exitCode()).isEqualTo(2))
          .hasMessage("from line: 4 (expected: at most 3, the end of the input)");
    }
  }

  @Test
  void reportsATooLongLineAfterThePrecedingLines() {
    LineBatches batches = batches("a\nb\n123456789");
    assertThat(next(batches)).isEqualTo("1:a\nb\n");
    assertThatThrownBy(batches::next)
        .isInstanceOfSatisfying(CliException.class, e -> assertThat(e.exitCode()).isEqualTo(2))
        .hasMessage("line 3: too long (expected: at most 8 bytes)");
  }

  @Test
  void reportsAFailedInputAfterThePrecedingLines() {
    InputStream broken =
        new InputStream() {
          private int left = 3;

          @Override
          public int read() throws IOException {
            if (left-- <= 0) {
              throw new IOException("unplugged");
            }
            return left == 1 ? '\n' : 'a';
          }
        };
    LineBatches batches = new LineBatches(broken, 6, 8);
    assertThat(next(batches)).isEqualTo("1:a\n");
    assertThatThrownBy(batches::next).hasMessage("the input cannot be read: unplugged");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1    | line 3: id: none   | line 3: id: none",
        "4001 | line 3: id: line 7 | line 4003: id: line 7",
        "4001 | line 3, column 7: x | line 4003, column 7: x",
        "4001 | from line 1 on: full | from line 4001 on: full",
        "1    | no such place (X)  | no such place (X)",
        "4001 | a line 3 (X)       | in the lines from line 4001: a line 3 (X)",
        "1    | line 3: x; records stored: 2 (X) | line 3: x; records stored: 2 (X)",
      })
  void yieldsAllLinesOfTheInput(long firstLine, String text, String expected) {
    assertThat(RemoteLines.ofAll(text, firstLine, 0)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "line 3: x; records stored: 2 (X)      | line 4003: x; records stored: 4002 (X)",
        "line 3: x; items stored: 0            | line 4003: x; items stored: 4000",
        "from line 1 on: x; items stored: 7 (X)| from line 4001 on: x; items stored: 4007 (X)",
        "line 3: lost (X)                      | line 4003: lost (X); lines stored: at least 4000",
      })
  void countsStoredLinesOfTheInput(String text, String expected) {
    assertThat(RemoteLines.ofAll(text, 4001, 4000)).isEqualTo(expected);
  }
}
