package io.kvreactive.documents.internal.transform;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.internal.store.CollectionRecord;
import io.kvreactive.documents.internal.store.CollectionRecord.Build;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * Marks builds as failed if an item prevents their completion. No more work is done for failed
 * builds.
 */
final class FailedBuilds {
  private FailedBuilds() {}

  /**
   * Runs the steps of some builds, and marks these as failed if an index cannot hold an item.
   *
   * @param builds the builds of the definition that the steps work for
   */
  static Mono<Void> marked(Mono<Void> steps, IndexWork work, List<Build> builds) {
    return steps
        .onErrorResume(DocumentException.class, e -> mark(work, builds, e))
        .onErrorResume(
            KvException.class,
            e ->
                e.code() == KvErrorCode.LIMIT_EXCEEDED // the entries of one item exceed the limit
                    ? mark(
                        work,
                        builds,
                        new DocumentException(DocumentErrorCode.LIMIT_EXCEEDED, e.detail(), e))
                    : Mono.error(e));
  }

  private static Mono<Void> mark(IndexWork work, List<Build> builds, DocumentException e) {
    CollectionRecord record = work.metadata().record();
    String reason = e.detail();
    List<Build> all = new ArrayList<>();
    List<String> jobs = new ArrayList<>();
    for (Build build : record.builds()) {
      boolean failed = builds.contains(build);
      all.add(failed ? new Build(build.index(), build.number(), build.startedAt(), reason) : build);
      if (failed) {
        jobs.add(IndexWorkRecord.build(build.index()));
      }
    }
    return work.commit(
        IndexWorkRecord.without(work.jobs(), jobs),
        record.with(record.bases(), all, record.drops()),
        List.of(),
        List.of());
  }
}
