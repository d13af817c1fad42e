package io.kvreactive.examples;

import io.kvreactive.Kv;
import io.kvreactive.examples.run.Launcher;
import io.kvreactive.examples.run.Screen;
import io.kvreactive.examples.unicode.Assigned;
import io.kvreactive.examples.unicode.Characters;
import io.kvreactive.examples.unicode.Characters.CategorySize;
import io.kvreactive.examples.unicode.CodePoint;
import io.kvreactive.examples.unicode.Loader;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Loads the characters of Unicode that the JDK knows, with indexes by name, block, script and
 * category, and queries them. A second run uses the loaded characters.
 */
public final class UnicodeExample {
  private static final int SHOWN = 5;

  private final Characters characters;
  private final Screen screen;

  private UnicodeExample(Kv kv, Screen screen) {
    this.characters = new Characters(kv);
    this.screen = screen;
  }

  public static void main(String[] args) {
    Integer status =
        new Launcher("unicode", Screen.standard()).run(args, UnicodeExample::run).block();
    System.exit(status == null ? 1 : status);
  }

  static Mono<Void> run(Kv kv, Screen screen) {
    screen.line(
        "The assigned code points of Unicode as JDK %d knows them, without surrogates and private"
            + " use",
        Runtime.version().feature());
    return new Loader(kv, Assigned.ALL, screen)
        .load()
        .then(new UnicodeExample(kv, screen).answers());
  }

  private Mono<Void> answers() {
    return answer("named GRINNING FACE", characters.byName("GRINNING FACE").flux())
        .then(
            answer(
                "names from GREEK SMALL LETTER A, first 5",
                characters.byNamePrefix("GREEK SMALL LETTER A").take(SHOWN)))
        .then(answer("script OGHAM", characters.ofScript("OGHAM")))
        .then(answer("block ARROWS", characters.ofBlock("ARROWS")))
        .then(categories());
  }

  private Mono<Void> answer(String question, Flux<CodePoint> found) {
    return found
        .collectList()
        .timed()
        .doOnNext(
            timed -> {
              List<CodePoint> list = timed.get();
              heading(question, list.size(), timed.elapsedSinceSubscription().toNanos());
              list.stream().limit(SHOWN).forEach(character -> screen.line("  %s", character));
              if (list.size() > SHOWN) {
                screen.line("  … to %s", list.get(list.size() - 1));
              }
            })
        .then();
  }

  private Mono<Void> categories() {
    return characters
        .categorySizes()
        .collectList()
        .timed()
        .doOnNext(
            timed -> {
              long total = timed.get().stream().mapToLong(CategorySize::size).sum();
              heading("counts by category", total, timed.elapsedSinceSubscription().toNanos());
              timed.get().forEach(this::category);
            })
        .then();
  }

  private void category(CategorySize counted) {
    screen.line(
        "  %s %,8d  %s", counted.category().shortName(), counted.size(), counted.category());
  }

  private void heading(String question, long found, long nanos) {
    screen.line("%s: %,d found in %.2f ms", question, found, nanos / 1e6);
  }
}
