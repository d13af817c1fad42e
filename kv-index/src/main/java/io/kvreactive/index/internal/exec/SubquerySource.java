package io.kvreactive.index.internal.exec;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.index.internal.sql.DerivedTables;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Mono;

/** A source of the rows of a subquery in FROM, each in an object that stands for an item. */
final class SubquerySource implements CandidateSource {
  private final RowCursor rows;
  private long number;

  SubquerySource(RowCursor rows) {
    this.rows = rows;
  }

  @Override
  public Mono<List<Candidate>> next(int wanted) {
    return MonoFusion.map(
        rows.next(wanted),
        some -> {
          List<Candidate> found = new ArrayList<>(some.size());
          for (RowCursor.Numbered row : some) {
            number++;
            found.add(
                Candidate.of(number)
                    .standing(
                        JsonNodeFactory.instance.objectNode().set(DerivedTables.ROW, row.value())));
          }
          return found;
        });
  }

  @Override
  public boolean done() {
    return rows.done();
  }
}
