package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvKey;
import io.kvreactive.server.Terminals;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.KeyParser;
import io.kvreactive.server.client.KeySelection;
import io.kvreactive.server.client.Target;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/** Completes commands, options, collections, and keys, one part at a time. */
final class ShellCompleter implements Completer {
  private static final Set<String> WITH_KEYS = Set.of("get", "set", "del", "watch", "sum");
  private static final Set<String> RANGES = Set.of("--prefix", "--start", "--end");
  private static final Set<String> OF_COLLECTIONS = Set.of("use", "query", "item", "collection");

  /** Number of keys that are read to complete a part. */
  private static final long READ = 500;

  private final Target target;

  ShellCompleter(Target target) {
    this.target = target;
  }

  @Override
  public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
    List<String> words = line.words();
    String word = line.word().substring(0, line.wordCursor());
    try {
      for (String text : candidates(words.subList(0, line.wordIndex()), word)) {
        boolean isPart = text.endsWith("/");
        candidates.add(new Candidate(text, text, null, null, null, null, !isPart));
      }
    } catch (CliException e) {
      candidates.clear(); // the store does not answer: nothing is completed
    }
  }

  /**
   * Returns the texts that a word may become.
   *
   * @param before the words before it
   * @param word the beginning of the word
   */
  Set<String> candidates(List<String> before, String word) {
    Set<String> all = new TreeSet<>();
    if (before.isEmpty()) {
      all.addAll(List.of("use", "help", "exit", "SELECT"));
      for (Class<?> command : ClientCommands.commands()) {
        all.add(command.getAnnotation(CommandLine.Command.class).name());
      }
    } else {
      String command = before.get(0);
      String last = before.get(before.size() - 1);
      boolean nested = command.equals("item") || command.equals("collection");
      if (word.startsWith("-") || (nested && before.size() == 1)) {
        all.addAll(options(before));
      } else if (RANGES.contains(last)
          || (before.size() == 1 && WITH_KEYS.contains(command))
          || command.equals("watch")) {
        all.addAll(keys(word));
      } else if (OF_COLLECTIONS.contains(command) && before.size() == (nested ? 2 : 1)) {
        target.documents().list(each -> all.add(each.path("name").asText()));
      }
    }
    all.removeIf(text -> !text.startsWith(word) || !Terminals.clean(text).equals(text));
    return all;
  }

  private static Set<String> options(List<String> before) {
    Set<String> all = new TreeSet<>();
    Class<?> command = ClientCommands.named(before.get(0));
    if (command == null) {
      return all;
    }
    CommandLine line = new CommandLine(command);
    for (String word : before.subList(1, before.size())) {
      line = line.getSubcommands().getOrDefault(word, line);
    }
    all.addAll(line.getSubcommands().keySet());
    line.getCommandSpec().options().forEach(option -> all.add(option.longestName()));
    return all;
  }

  /** Returns the keys below the typed path, as paths up to their next part. */
  private Set<String> keys(String typed) {
    Set<String> all = new TreeSet<>();
    int slash = typed.lastIndexOf('/');
    String parent = slash < 0 ? "" : typed.substring(0, slash + 1);
    KvKey prefix = slash < 0 ? null : KeyParser.parse(typed.substring(0, slash));
    int depth = prefix == null ? 0 : prefix.parts().size();
    target.list(
        new KeySelection(prefix, null, null),
        new Target.Listing(READ, false, true),
        entry -> {
          JsonNode key = entry.path("key");
          String part = key.size() > depth ? part(key.get(depth)) : null;
          if (part != null) {
            all.add(parent + part + (key.size() > depth + 1 ? "/" : ""));
          }
        });
    return all;
  }

  /** Returns how a part is typed, or null if it is written in JSON only. */
  private static @Nullable String part(JsonNode part) {
    if (part.isTextual()) {
      String text = part.textValue();
      boolean plain =
          text.matches("[^\\s/\"\\[\\]{}']+")
              && Terminals.clean(text).equals(text)
              && KeyParser.parse(text).parts().get(0) instanceof String;
      return plain
          ? text
          : text.contains(" ") || text.contains("/") ? null : Terminals.clean(part.toString());
    }
    if (part.isNumber() || part.isBoolean()) {
      return part.toString();
    }
    return part.has("$bigint") ? part.get("$bigint").asText() + "n" : null;
  }
}
