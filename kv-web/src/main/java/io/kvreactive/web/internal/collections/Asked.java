package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvRange;
import io.kvreactive.index.Collection;
import io.kvreactive.index.KvIndex;
import io.kvreactive.index.PartitionKey;
import io.kvreactive.web.internal.auth.Access;
import io.kvreactive.web.internal.auth.CollectionKeys;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.database.Database;
import io.kvreactive.web.internal.http.Call;
import io.kvreactive.web.internal.rest.Json;
import io.kvreactive.web.internal.rest.Query;
import io.kvreactive.web.internal.rest.Ranges;
import io.vertx.ext.web.RoutingContext;

/** What requests name: a collection, an item, a partition. */
public final class Asked {
  static final String PARTITION = "partitionKey";

  /** What collections keep their keys below: who may not reach all of it reaches none of them. */
  private static final KvRange ROOT = KvRange.prefix(CollectionKeys.ROOT);

  private Asked() {}

  static String name(RoutingContext context) {
    return context.pathParam("collection");
  }

  static String id(RoutingContext context) {
    return context.pathParam("id");
  }

  /** The collections of the database, for those who may do this to all of them. */
  public static KvIndex index(RoutingContext context, Access access) {
    Call call = Call.of(context);
    return index(call.database(), call.grant(), access);
  }

  /** Like the other, outside of a request. */
  public static KvIndex index(Database database, Grant grant, Access access) {
    var unused = Ranges.require(grant, access, ROOT);
    return database.index();
  }

  static Collection<ObjectNode> collection(RoutingContext context, Access access) {
    return index(context, access).collection(name(context), ObjectNode.class);
  }

  /** The partition of a query: a JSON value, or an array of them; none when it is missing. */
  static PartitionKey partition(Query query) {
    String text = query.text(PARTITION);
    return text == null ? PartitionKey.NONE : Partitions.key(Json.parse(PARTITION, text));
  }
}
