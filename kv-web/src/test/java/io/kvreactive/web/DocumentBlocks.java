package io.kvreactive.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The fenced code blocks of the documents. */
public final class DocumentBlocks {
  public static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static final Pattern FENCED =
      Pattern.compile("^```([^\\n]*)\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

  /**
   * A block.
   *
   * @param info the text after the opening fence: a language, optionally followed by a word
   * @param line the line of the opening fence, from 1
   */
  public record Block(Path document, int line, String info, String text) {
    @Override
    public String toString() {
      return ROOT.relativize(document) + ":" + line + " [" + info + "]";
    }
  }

  private DocumentBlocks() {}

  /** Returns the documents without the decision records, which have no executable blocks. */
  public static List<Path> documents() {
    List<Path> documents = new ArrayList<>();
    documents.add(ROOT.resolve("README.md"));
    documents.add(ROOT.resolve("CONTRIBUTING.md"));
    documents.add(ROOT.resolve("clients/typescript/README.md"));
    try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
      files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(documents::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return documents;
  }

  public static List<Block> of(Path document) {
    try {
      String text = Files.readString(document);
      List<Block> blocks = new ArrayList<>();
      Matcher fenced = FENCED.matcher(text);
      while (fenced.find()) {
        int line = 1 + (int) text.substring(0, fenced.start()).lines().count();
        blocks.add(new Block(document, line, fenced.group(1), fenced.group(2)));
      }
      return blocks;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the blocks of all documents in a language, such as {@code sh} or {@code sh stream}. */
  public static List<Block> in(String info) {
    return documents().stream()
        .flatMap(document -> of(document).stream())
        .filter(block -> block.info().equals(info))
        .toList();
  }
}
