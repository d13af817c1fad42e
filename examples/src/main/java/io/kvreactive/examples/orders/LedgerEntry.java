package io.kvreactive.examples.orders;

/**
 * An entry of a customer in the ledger.
 *
 * @param id the id of the order that an invoice is for; otherwise the kind of the entry
 * @param cents the credit of an account, the amount of an invoice or the sum of a statement
 */
record LedgerEntry(String id, String country, String customer, Kind kind, long cents) {
  /** The kinds of entries. A customer has one account and at most one statement. */
  enum Kind {
    ACCOUNT,
    STATEMENT,
    INVOICE,
    DECLINED
  }

  /** Returns the only entry of a kind. */
  static LedgerEntry single(Kind kind, Customer customer, long cents) {
    return new LedgerEntry(kind.name(), customer.country(), customer.name(), kind, cents);
  }

  /** Returns the invoice of an order, or the note that it was declined. */
  static LedgerEntry ofOrder(Kind kind, PlacedOrder order) {
    return new LedgerEntry(order.id(), order.country(), order.customer(), kind, order.cents());
  }
}
