package io.kvreactive.bench.index;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FiguresTest {
  private final Figures figures = new Figures();

  @Test
  void computesTheRatioAsTheMedianOfTheRounds() {
    figures.add(Measure.POINT1, 10, 20);
    figures.add(Measure.POINT1, 1, 100);
    figures.add(Measure.POINT1, 30, 50);

    assertThat(figures.ratio(Measure.POINT1)).isEqualTo(0.5);
    assertThat(figures.reached()).isTrue();
    assertThat(figures.table()).contains("0.50x").contains(" ok").doesNotContain("MISSED");
  }

  @Test
  void reportsASingleMissedTarget() {
    figures.add(Measure.POINT1, 100, 100);
    figures.add(Measure.SCAN, 299, 1);

    assertThat(figures.reached()).isFalse();
    assertThat(figures.table().lines().filter(line -> line.contains("MISSED")))
        .singleElement()
        .asString()
        .contains(Measure.SCAN.title, "299x", "300x");
  }

  @Test
  void listsDatabasesBesideTheScenariosTheyRan() {
    figures.add(Measure.POINT1, 100, 100);
    figures.add(Measure.SCAN, 400, 1);
    figures.add(BenchDatabase.SQLITE, Measure.POINT1, 4_000);

    assertThat(figures.table().lines().toList())
        .satisfiesExactly(
            head -> assertThat(head).matches(".* SQLite +ratio"),
            point -> assertThat(point).matches(".* 4,000 +0\\.03x"),
            scan -> assertThat(scan).matches(".* - +-"));
  }

  @Test
  void computesTheRatioToADatabaseAsTheMedianOfTheRounds() {
    for (int[] round : new int[][] {{100, 200}, {30, 10}, {50, 100}}) {
      figures.add(Measure.POINT1, round[0], 1);
      figures.add(BenchDatabase.SQLITE, Measure.POINT1, round[1]);
    }

    assertThat(figures.table().lines().toList()).last().asString().matches(".* 100 +0\\.50x");
  }
}
