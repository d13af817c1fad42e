package io.kvreactive.examples.catalog;

import io.kvreactive.examples.catalog.Product.Tag;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import reactor.core.publisher.Flux;
import reactor.core.publisher.SynchronousSink;
import reactor.core.scheduler.Schedulers;

/** Reads the packages of a Debian system from the output of {@code apt-cache dumpavail}. */
final class DebianPackages {
  private static final String[] COMMAND = {"apt-cache", "dumpavail"};
  private static final String FACET = "::";

  private DebianPackages() {}

  /** Emits all packages. Fails if the command does not exist. */
  static Flux<Product> all() {
    return Flux.using(DebianPackages::start, DebianPackages::read, Process::destroy)
        .subscribeOn(Schedulers.boundedElastic());
  }

  private static Process start() throws IOException {
    return new ProcessBuilder(COMMAND).redirectError(ProcessBuilder.Redirect.DISCARD).start();
  }

  private static Flux<Product> read(Process process) {
    return paragraphs(process.inputReader());
  }

  /** Emits a product for each paragraph, whose fields have the format of mail headers. */
  static Flux<Product> paragraphs(BufferedReader in) {
    return Flux.generate(sink -> next(in, sink));
  }

  private static void next(BufferedReader in, SynchronousSink<Product> sink) {
    try {
      Map<String, String> fields = paragraph(in);
      if (fields.isEmpty()) {
        sink.complete();
      } else {
        sink.next(product(fields));
      }
    } catch (IOException e) {
      sink.error(new UncheckedIOException(e));
    }
  }

  /** Reads the fields of the next paragraph; empty at the end. */
  private static Map<String, String> paragraph(BufferedReader in) throws IOException {
    Map<String, String> fields = new HashMap<>();
    String field = "";
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      if (line.isBlank()) {
        if (!fields.isEmpty()) {
          break;
        }
      } else if (line.startsWith(" ")) {
        fields.merge(field, line, String::concat);
      } else {
        int colon = line.indexOf(':');
        field = line.substring(0, Math.max(colon, 0));
        fields.put(field, line.substring(colon + 1).strip());
      }
    }
    return fields;
  }

  private static Product product(Map<String, String> fields) {
    return new Product(
        fields.getOrDefault("Package", "?") + ":" + fields.getOrDefault("Architecture", "?"),
        fields.getOrDefault("Section", "unknown"),
        fields.getOrDefault("Description", ""),
        Long.parseLong(fields.getOrDefault("Installed-Size", "0")) << 10,
        fields.getOrDefault("Maintainer", "unknown"),
        list(fields.getOrDefault("Tag", "")).stream().map(DebianPackages::tag).toList(),
        list(fields.getOrDefault("Depends", "")).stream()
            .map(needed -> needed.split("[ :(|]", 2)[0])
            .distinct()
            .toList());
  }

  private static List<String> list(String text) {
    return Arrays.stream(text.split(",")).map(String::strip).filter(s -> !s.isEmpty()).toList();
  }

  private static Tag tag(String text) {
    int at = text.indexOf(FACET);
    return at < 0
        ? new Tag("other", text)
        : new Tag(text.substring(0, at), text.substring(at + FACET.length()));
  }
}
