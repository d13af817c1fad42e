package io.kvreactive.bench.index;

import com.google.common.geometry.S1Angle;
import com.google.common.geometry.S2Cap;
import com.google.common.geometry.S2CellId;
import com.google.common.geometry.S2CellUnion;
import com.google.common.geometry.S2LatLng;
import com.google.common.geometry.S2RegionCoverer;
import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvRecord;
import java.nio.ByteBuffer;
import java.util.List;
import net.sf.geographiclib.Geodesic;
import net.sf.geographiclib.GeodesicMask;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A hand-written spatial index: one entry for each point, under the identifier of its S2 cell,
 * without documents, policies or queries.
 */
final class CellStore {
  private static final KvKey ROOT = KvKey.of("cells");
  private static final int MAX_CELLS = 32;
  private static final double EARTH_RADIUS_METRES =
      6_335_000; // a lower bound, so that no cell is missed

  private final Kv kv;

  CellStore(Kv kv) {
    this.kv = kv;
  }

  /** Stores points in large commits. */
  Mono<Void> load(Flux<Points.Point> points) {
    return kv.load(points.map(point -> KvRecord.of(key(point), point.id()))).then();
  }

  private static KvKey key(Points.Point point) {
    return ROOT.append(bytes(S2CellId.fromLatLng(at(point)).id()), point.id());
  }

  private static S2LatLng at(Points.Point point) {
    return S2LatLng.fromDegrees(point.latitude(), point.longitude());
  }

  private static byte[] bytes(long id) {
    return ByteBuffer.allocate(Long.BYTES).putLong(id).array();
  }

  /** Emits the identifiers of the points within a distance in metres. */
  Flux<String> within(Points.Point centre, double metres) {
    S2Cap cap =
        S2Cap.fromAxisAngle(at(centre).toPoint(), S1Angle.radians(metres / EARTH_RADIUS_METRES));
    S2CellUnion cells = S2RegionCoverer.builder().setMaxCells(MAX_CELLS).build().getCovering(cap);
    return Flux.fromIterable(List.copyOf(cells.cellIds()))
        .concatMap(
            cell ->
                kv.list(
                    KvRange.between(
                        ROOT.append((Object) bytes(cell.rangeMin().id())),
                        ROOT.append((Object) bytes(cell.rangeMax().id() + 1))),
                    String.class))
        .filter(entry -> distance(centre, entry.key()) < metres)
        .mapNotNull(KvEntry::value);
  }

  private static double distance(Points.Point from, KvKey key) {
    S2LatLng to = new S2CellId(ByteBuffer.wrap((byte[]) key.parts().get(1)).getLong()).toLatLng();
    return Geodesic.WGS84.Inverse(
            from.latitude(),
            from.longitude(),
            to.latDegrees(),
            to.lngDegrees(),
            GeodesicMask.DISTANCE)
        .s12;
  }
}
