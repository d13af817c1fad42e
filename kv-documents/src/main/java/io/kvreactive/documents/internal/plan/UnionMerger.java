package io.kvreactive.documents.internal.plan;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import io.kvreactive.documents.internal.sql.OperatorChains;
import io.kvreactive.documents.internal.sql.ast.Expr;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Merges the parts of an OR that read one range index: {@code a = 1 OR a = 2} is read as IN. */
final class UnionMerger {
  private UnionMerger() {}

  /**
   * Returns fewer access paths to the same items, in the order of the first occurrence of their
   * indexes.
   */
  static List<AccessPath> joined(List<AccessPath> parts) {
    Map<Object, List<AccessPath.Scan>> byIndex = new LinkedHashMap<>();
    List<Object> order = new ArrayList<>(); // an index, or an access path that is not merged
    for (AccessPath part : parts) {
      checkpoint();
      if (part instanceof AccessPath.Scan scan && isJoinable(scan)) {
        List<AccessPath.Scan> same =
            byIndex.computeIfAbsent(
                scan.index(),
                index -> {
                  order.add(index);
                  return new ArrayList<>();
                });
        same.add(scan);
      } else {
        order.add(part);
      }
    }
    List<AccessPath> joined = new ArrayList<>(order.size());
    for (Object next : order) {
      List<AccessPath.Scan> same = byIndex.get(next);
      joined.add(same == null ? (AccessPath) next : join(same));
    }
    return joined;
  }

  private static boolean isJoinable(AccessPath.Scan scan) {
    return scan.index() instanceof IndexRef.Range
        && scan.equal().isEmpty()
        && !scan.ranges().isEmpty()
        && !scan.predicates().isEmpty()
        && scan.test() == null;
  }

  private static AccessPath.Scan join(List<AccessPath.Scan> scans) {
    AccessPath.Scan first = scans.get(0);
    if (scans.size() == 1) {
      return first;
    }
    List<ValueRange> ranges = new ArrayList<>();
    List<Expr> terms = new ArrayList<>(scans.size());
    boolean exact = true;
    boolean containers = false;
    AccessClass dearest = first.accessClass();
    for (AccessPath.Scan scan : scans) {
      checkpoint();
      ranges.addAll(scan.ranges());
      terms.add(
          OperatorChains.of(
              Expr.BinaryOp.AND, scan.predicates().stream().map(Predicate::expr).toList()));
      exact &= scan.exact();
      containers |= scan.predicates().stream().anyMatch(Predicate::containers);
      dearest = dearest.compareTo(scan.accessClass()) >= 0 ? dearest : scan.accessClass();
    }
    Predicate one = first.predicates().get(0);
    Predicate any =
        new Predicate(
            OperatorChains.of(Expr.BinaryOp.OR, terms),
            one.subject(),
            one.field(),
            Predicate.Kind.SOME,
            ranges,
            exact,
            containers,
            dearest,
            false);
    return new AccessPath.Scan(
        first.index(), List.of(), ranges, dearest, exact, null, List.of(any));
  }
}
