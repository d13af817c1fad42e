package io.kvreactive.internal.api;

import io.kvreactive.KvCommit;
import io.kvreactive.KvEntry;
import io.kvreactive.KvType;
import io.kvreactive.KvUpdate;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.shared.PagedFlux.Pages;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.StoredChange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A list that is followed by a change feed without a gap. Each page is read at the newest version,
 * so no snapshot is held. The feed starts at the version of the first page; changes that a later
 * page contains already are omitted. Later pages have later versions. So the changes of a commit
 * that must be emitted are those of the keys before some bound.
 */
final class ListAndWatch<T> implements Pages<KvUpdate<T>> {
  private final RangePages<T> pages;
  private final List<PagesOfVersion> shown = new ArrayList<>();
  private boolean synced;

  /**
   * Adjacent pages of one version.
   *
   * @param end the exclusive end of their keys, or null for the last page
   */
  private record PagesOfVersion(Versionstamp version, byte @Nullable [] end) {}

  ListAndWatch(RangePages<T> pages) {
    this.pages = pages;
  }

  // ---- the list

  @Override
  public Mono<List<KvUpdate<T>>> next(long wanted) {
    return pages.next(wanted).map(this::listed);
  }

  private List<KvUpdate<T>> listed(List<KvEntry<T>> entries) {
    byte[] last = pages.resumeAfter();
    byte[] end = last == null ? null : Arrays.copyOf(last, last.length + 1);
    if (!shown.isEmpty() && newest().equals(pages.version())) {
      shown.remove(shown.size() - 1);
    }
    shown.add(new PagesOfVersion(pages.version(), end));
    List<KvUpdate<T>> updates = new ArrayList<>(entries.size() + 1);
    entries.forEach(entry -> updates.add(new KvUpdate.Listed<>(entry)));
    if (done() && shown.size() == 1) {
      updates.add(sync(newest()));
    }
    return updates;
  }

  @Override
  public boolean done() {
    return pages.done();
  }

  @Override
  public void close() {
    pages.close();
  }

  private Versionstamp newest() {
    return shown.get(shown.size() - 1).version;
  }

  // ---- the feed

  /** Returns the version at which the feed starts. Valid when the list is done. */
  Versionstamp since() {
    return shown.get(0).version;
  }

  /** Returns the updates of a commit; empty if pages contain them already. */
  List<KvUpdate<T>> updates(CommittedChanges commit, ValueMapper values, KvType<T> type) {
    if (synced) {
      return List.of(new KvUpdate.Committed<>(ChangeMapper.commit(commit, values, type)));
    }
    List<KvUpdate<T>> updates = new ArrayList<>(2);
    int order = commit.versionstamp().compareTo(newest());
    if (order > 0 && !commit.changes().isEmpty()) {
      updates.add(sync(newest()));
    }
    CommittedChanges news = order > 0 ? commit : news(commit);
    if (!news.changes().isEmpty()) {
      KvCommit<T> decoded = ChangeMapper.commit(news, values, type);
      updates.add(new KvUpdate.Committed<>(decoded));
    }
    if (order >= 0 && !synced) {
      updates.add(sync(commit.versionstamp()));
    }
    return updates;
  }

  private KvUpdate<T> sync(Versionstamp version) {
    synced = true;
    return new KvUpdate.Synced<>(version);
  }

  /** Returns the commit without changes that pages of its version or a later one contain. */
  private CommittedChanges news(CommittedChanges commit) {
    byte[] bound = {};
    for (PagesOfVersion pages : shown) {
      byte[] end = pages.end;
      if (pages.version.compareTo(commit.versionstamp()) >= 0 || end == null) {
        break;
      }
      bound = end;
    }
    List<StoredChange> news = new ArrayList<>();
    for (StoredChange change : commit.changes()) {
      if (Arrays.compareUnsigned(change.key(), bound) < 0) {
        news.add(cut(change, bound));
      }
    }
    return new CommittedChanges(commit.versionstamp(), commit.millis(), news);
  }

  private static StoredChange cut(StoredChange change, byte[] bound) {
    byte[] end = change.end();
    if (end == null || Arrays.compareUnsigned(end, bound) <= 0) {
      return change;
    }
    return StoredChange.deleteRange(change.key(), bound);
  }
}
