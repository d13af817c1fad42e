package io.kvreactive.server.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Uploads lines to a server in batches of 2 MiB. Each batch is durable when it is answered. */
final class RemoteLines {
  static final int PART_BYTES = 2 << 20;

  private static final Pattern LINE = Pattern.compile("(?<=^|^from )line (\\d{1,15})\\b");

  private static final Pattern STORED =
      Pattern.compile("(?<=; \\w{1,9} stored: )\\d{1,15}(?= \\(\\w+\\)$|$)");

  private static final byte[] BLANK = {'\n'};
  private static final String VERSIONSTAMP = "versionstamp";

  private final RestClient http;
  private final String path;
  private final String counted;

  /**
   * Creates an upload.
   *
   * @param path the path of the route
   * @param counted the property of the server's progress that counts stored entries or items
   */
  RemoteLines(RestClient http, String path, String counted) {
    this.http = http;
    this.path = path;
    this.counted = counted;
  }

  void send(LineBatches batches, Consumer<ObjectNode> progress) {
    send(batches, batches.next(), progress);
  }

  /**
   * Uploads the lines. Sends a request even if there are no lines, so that the server can reject
   * it.
   */
  void sendEvenIfEmpty(LineBatches batches, Consumer<ObjectNode> progress) {
    byte[] first = batches.next();
    send(batches, first == null ? BLANK : first, progress);
  }

  private void send(LineBatches batches, byte @Nullable [] first, Consumer<ObjectNode> progress) {
    long stored = 0;
    long bytes = 0;
    String versionstamp = "";
    byte[] batch = first;
    while (batch != null) {
      ObjectNode last = post(batch, batches.firstLine(), stored);
      stored += last.path(counted).asLong();
      bytes += last.path("bytes").asLong();
      ObjectNode counts = CliJson.object().put(counted, stored).put("bytes", bytes);
      counts.put("line", batches.lastLine());
      versionstamp =
          last.path(VERSIONSTAMP)
              .asText(versionstamp); // a batch of blank lines has no versionstamp
      if (!versionstamp.isEmpty()) {
        counts.put(VERSIONSTAMP, versionstamp);
      }
      progress.accept(counts);
      batch = batches.next();
    }
  }

  private ObjectNode post(byte[] body, long firstLine, long stored) {
    ObjectNode[] last = {CliJson.object()};
    try {
      http.postLines(path, body, line -> last[0] = line);
    } catch (CliException e) {
      throw new CliException(e.exitCode(), ofAll(e.text(), firstLine, stored));
    }
    return last[0];
  }

  /**
   * Returns a server's message with the line number and the number of stored lines of the whole
   * input instead of the batch.
   *
   * @param stored the number of lines of earlier batches that were stored
   */
  static String ofAll(String text, long firstLine, long stored) {
    Matcher count = STORED.matcher(text);
    String all =
        count.find()
            ? count.replaceFirst(Long.toString(stored + Long.parseLong(count.group())))
            : stored == 0 ? text : text + "; lines stored: at least " + stored;
    Matcher line = LINE.matcher(all);
    if (line.find()) {
      return line.replaceFirst("line " + (firstLine - 1 + Long.parseLong(line.group(1))));
    }
    return firstLine == 1 ? all : "in the lines from line " + firstLine + ": " + all;
  }
}
