package io.kvreactive.examples.orders;

import io.kvreactive.KvError;
import io.kvreactive.documents.BatchResult;
import io.kvreactive.documents.ComputedProperty;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.Item;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.PatchOperation;
import io.kvreactive.documents.PatchOptions;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.TransactionalBatch;
import io.kvreactive.documents.WriteOptions;
import io.kvreactive.examples.orders.LedgerEntry.Kind;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * The accounts, invoices and statements of the customers. A customer's entries are one partition,
 * so that a batch changes several of them in one commit.
 */
public final class OrderLedger {
  private static final String ACCOUNT = Kind.ACCOUNT.name();
  private static final int BONUS_PERCENT = 1;

  /** Maximum number of entries that one statement deletes; a batch has at most 100 operations. */
  private static final int MAX_DELETES = TransactionalBatch.MAX_OPERATIONS - 3;

  private static final SqlQuery TOTALS =
      SqlQuery.of(
          "SELECT COUNT(1) AS invoices, COUNTIF(c.isLarge) AS large, SUM(c.cents) AS cents FROM c"
              + " WHERE c.kind = 'INVOICE'");

  /** The invoices of a customer, those of them that are large, and their sum. */
  public record InvoiceTotals(int invoices, int large, long cents) {}

  private final DocumentCollection<LedgerEntry> ledger;

  public OrderLedger(DocumentStore store) {
    this.ledger =
        store.collection(
            "ledger",
            LedgerEntry.class,
            Customer.PARTITIONED
                .withComputedProperties(
                    new ComputedProperty("isLarge", "SELECT VALUE c.cents >= 1010 FROM c"))
                .withIndexingPolicy(IndexingPolicy.DEFAULT.withIncluded("/isLarge/?")));
  }

  /** Adds to the credit of a customer, who gets an account with the first deposit. */
  public Mono<Void> deposit(Customer customer, long cents) {
    return ledger
        .patch(
            ACCOUNT,
            customer.partition(),
            List.of(new PatchOperation.Increment("/cents", cents)),
            PatchOptions.DEFAULT)
        .onErrorResume(
            e -> KvError.is(e, DocumentErrorCode.ITEM_NOT_FOUND),
            e -> ledger.create(LedgerEntry.single(Kind.ACCOUNT, customer, cents)))
        .then();
  }

  /**
   * Creates the invoice of an order and takes the amount from the account, in one commit; or notes
   * that the credit does not suffice. Emits true if the order is paid. A repetition finds the
   * invoice or the note, and emits the same.
   */
  Mono<Boolean> charge(PlacedOrder order) {
    PartitionKey partition = order.partition();
    return ledger
        .execute(
            TransactionalBatch.of(partition)
                .create(LedgerEntry.ofOrder(Kind.INVOICE, order))
                .patch(
                    ACCOUNT,
                    List.of(new PatchOperation.Increment("/cents", -order.cents())),
                    PatchOptions.filter("c.cents >= " + order.cents())))
        .thenReturn(true)
        .onErrorResume(
            e ->
                KvError.is(e, DocumentErrorCode.CONDITION_NOT_MET)
                    || KvError.is(e, DocumentErrorCode.ITEM_NOT_FOUND), // no account
            e -> ledger.create(LedgerEntry.ofOrder(Kind.DECLINED, order)).thenReturn(false))
        .onErrorResume(
            e -> KvError.is(e, DocumentErrorCode.ITEM_EXISTS),
            e -> ledger.read(order.id(), partition).map(decided -> isA(Kind.INVOICE, decided)));
  }

  /**
   * Writes a customer's statement, credits a bonus for the invoices since the statement before, and
   * deletes notes of declined orders, all in one commit. Emits the credit. If the account changes
   * meanwhile, everything is read again.
   */
  public Mono<Long> settle(Customer customer) {
    return ledger
        .list(customer.partition())
        .collectList()
        .flatMap(entries -> settle(customer, entries))
        .retryWhen(Retry.indefinitely().filter(e -> KvError.is(e, DocumentErrorCode.ETAG_MISMATCH)))
        .map(result -> Objects.requireNonNull(result.results().get(2).item()).value().cents());
  }

  private Mono<BatchResult<LedgerEntry>> settle(
      Customer customer, List<Item<LedgerEntry>> entries) {
    Item<LedgerEntry> account = of(Kind.ACCOUNT, entries).findFirst().orElseThrow();
    long invoiced = sum(Kind.INVOICE, entries);
    long bonus = (invoiced - sum(Kind.STATEMENT, entries)) * BONUS_PERCENT / 100;
    TransactionalBatch batch =
        TransactionalBatch.of(customer.partition())
            .upsert(LedgerEntry.single(Kind.STATEMENT, customer, invoiced))
            .replace(
                LedgerEntry.single(Kind.ACCOUNT, customer, account.value().cents() + bonus),
                WriteOptions.DEFAULT.withIfMatch(account.etag()))
            .read(ACCOUNT);
    for (Item<LedgerEntry> declined :
        of(Kind.DECLINED, entries).limit(MAX_DELETES).toList()) { // the others later
      batch = batch.delete(declined.id());
    }
    return ledger.execute(batch);
  }

  private static Stream<Item<LedgerEntry>> of(Kind kind, List<Item<LedgerEntry>> entries) {
    return entries.stream().filter(entry -> isA(kind, entry));
  }

  private static long sum(Kind kind, List<Item<LedgerEntry>> entries) {
    return of(kind, entries).mapToLong(entry -> entry.value().cents()).sum();
  }

  private static boolean isA(Kind kind, Item<LedgerEntry> entry) {
    return entry.value().kind() == kind;
  }

  /** Emits what a customer was invoiced. */
  public Mono<InvoiceTotals> totals(Customer customer) {
    return ledger
        .query(
            TOTALS.withOptions(QueryOptions.DEFAULT.withPartitionKey(customer.partition())),
            InvoiceTotals.class)
        .next();
  }

  /** Deletes everything about a customer and emits the number of entries. */
  public Mono<Long> forget(Customer customer) {
    return ledger.deleteAll(customer.partition());
  }
}
