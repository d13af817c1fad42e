package example.engine;

import io.kvreactive.Versionstamp;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/** A watch: emits the newest state of its keys if it differs from the last one. */
final class StateWatch extends EngineSubscription<ReadResult> {
  private final List<ReadRange> points;
  private @Nullable List<List<Versionstamp>> emitted;

  StateWatch(
      CoreSubscriber<? super ReadResult> subscriber,
      SortedMapEngine engine,
      List<ReadRange> points) {
    super(subscriber, engine);
    this.points = points;
  }

  @Override
  protected void step() {
    if (requested() == 0 || isEnding()) {
      return;
    }
    ReadResult state = engine.readAt(engine.store.state(), points, Long.MAX_VALUE);
    List<List<Versionstamp>> stamps =
        state.pages().stream()
            .map(page -> page.entries().stream().map(StoredEntry::versionstamp).toList())
            .toList();
    if (!stamps.equals(emitted)) {
      emitted = stamps;
      emit(state);
    }
  }
}
