package io.kvreactive.server;

import static io.kvreactive.server.CommandHost.KV;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1CronJob;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import io.kvreactive.web.DocumentBlocks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The manifests in packaging/kubernetes are valid for the models of the Kubernetes API, which have
 * all fields. The manifests are consistent with each other, the image and the server.
 */
@Timeout(600)
class KubernetesManifestsTest {
  private static final Path FOLDER = DocumentBlocks.ROOT.resolve("packaging/kubernetes");
  private static final YAMLMapper YAML = new YAMLMapper();

  private static JsonNode manifest(String name) throws IOException {
    return YAML.readTree(FOLDER.resolve(name).toFile());
  }

  private static JsonElement strict(JsonNode manifest) {
    return JsonParser.parseString(manifest.toString());
  }

  @Test
  void haveOnlyFieldsOfTheKubernetesApi() throws Exception {
    V1StatefulSet.validateJsonElement(strict(manifest("statefulset.yaml")));
    V1Service.validateJsonElement(strict(manifest("service.yaml")));
    V1CronJob.validateJsonElement(strict(manifest("backup.yaml")));
    V1ConfigMap.validateJsonElement(strict(manifest("configmap.yaml")));
    JsonElement wrong =
        JsonParser.parseString(
            manifest("statefulset.yaml").toString().replace("readinessProbe", "readyProbe"));
    assertThatThrownBy(() -> V1StatefulSet.validateJsonElement(wrong))
        .hasMessageContaining("readyProbe");
  }

  @Test
  void areListedForKustomize() throws Exception {
    List<String> listed = new ArrayList<>();
    manifest("kustomization.yaml").path("resources").forEach(each -> listed.add(each.asText()));
    try (Stream<Path> files = Files.list(FOLDER)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(
              Stream.concat(listed.stream(), Stream.of("kustomization.yaml")).toList());
    }
  }

  @Test
  void agreeWithEachOtherAndTheImage() throws Exception {
    JsonNode set = manifest("statefulset.yaml").path("spec");
    JsonNode pod = set.path("template").path("spec");
    JsonNode container = pod.path("containers").path(0);
    JsonNode service = manifest("service.yaml");
    String dockerfile =
        Files.readString(DocumentBlocks.ROOT.resolve("packaging/docker/Dockerfile"));

    assertThat(set.path("replicas").asInt()).as("two would be two stores").isEqualTo(1);
    assertThat(set.path("serviceName")).isEqualTo(service.path("metadata").path("name"));
    assertThat(set.path("template").path("metadata").path("labels"))
        .isEqualTo(set.path("selector").path("matchLabels"))
        .isEqualTo(service.path("spec").path("selector"));
    assertThat(service.path("spec").path("ports").path(0).path("targetPort"))
        .isEqualTo(container.path("ports").path(0).path("name"));
    assertThat(container.path("envFrom").path(0).path("configMapRef").path("name"))
        .isEqualTo(manifest("configmap.yaml").path("metadata").path("name"));
    assertThat(dockerfile)
        .contains("KV_PORT=" + container.path("ports").path(0).path("containerPort").asInt())
        .contains("USER " + pod.path("securityContext").path("runAsUser").asInt() + ":")
        .contains(" KV_SERVER_TOKEN_FILE=" + mount(container, "token"))
        .contains("KV_PATH=" + mount(container, "data"));
    List<JsonNode> volumes = new ArrayList<>();
    pod.path("volumes").forEach(each -> volumes.add(each.path("name")));
    set.path("volumeClaimTemplates")
        .forEach(each -> volumes.add(each.path("metadata").path("name")));
    List<JsonNode> mounted = new ArrayList<>();
    container.path("volumeMounts").forEach(each -> mounted.add(each.path("name")));
    assertThat(mounted).containsExactlyInAnyOrderElementsOf(volumes);
  }

  /** A Service kv would set the variable KV_PORT of its pods to a URL. */
  @Test
  void excludeVariablesOfServices() throws Exception {
    for (String pod : List.of("statefulset.yaml", "backup.yaml")) {
      assertThat(manifest(pod).findValue("enableServiceLinks").asBoolean(true)).as(pod).isFalse();
    }
  }

  @Test
  void backUpTheVolumeOfTheServerWithTheScriptOfTheImage() throws Exception {
    JsonNode set = manifest("statefulset.yaml");
    JsonNode server = set.path("spec").path("template").path("spec");
    JsonNode pod =
        manifest("backup.yaml")
            .path("spec")
            .path("jobTemplate")
            .path("spec")
            .path("template")
            .path("spec");
    JsonNode job = pod.path("containers").path(0);
    String dockerfile =
        Files.readString(DocumentBlocks.ROOT.resolve("packaging/docker/Dockerfile"));

    assertThat(job.path("image")).isEqualTo(server.path("containers").path(0).path("image"));
    assertThat(dockerfile)
        .contains("COPY packaging/backup/kv-backup " + job.path("command").path(0).asText() + "\n")
        .contains(" KV_TOKEN_FILE=" + mount(job, "token"));
    assertThat(pod.path("securityContext")).isEqualTo(server.path("securityContext"));
    JsonNode affinity =
        pod.at("/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/0");
    assertThat(affinity.at("/labelSelector/matchLabels"))
        .isEqualTo(set.at("/spec/selector/matchLabels"));
    assertThat(pod.at("/volumes/0/persistentVolumeClaim/claimName").asText())
        .isEqualTo(
            set.at("/spec/volumeClaimTemplates/0/metadata/name").asText()
                + "-"
                + set.at("/metadata/name").asText()
                + "-0");
    assertThat(mount(job, "data"))
        .isEqualTo(manifest("configmap.yaml").at("/data/KV_BACKUP_DIR").asText());
    JsonNode service = manifest("service.yaml");
    String url =
        "http://"
            + service.at("/metadata/name").asText()
            + ":"
            + service.at("/spec/ports/0/port").asInt();
    String script = Files.readString(DocumentBlocks.ROOT.resolve("packaging/backup/kv-backup"));
    for (JsonNode variable : job.path("env")) {
      assertThat(script).contains(variable.path("name").asText());
      if (variable.path("name").asText().equals("KV_URL")) {
        assertThat(variable.path("value").asText()).isEqualTo(url);
      }
      JsonNode from = variable.at("/valueFrom/configMapKeyRef");
      assertThat(
              from.isMissingNode()
                  || manifest("configmap.yaml").at("/data").has(from.path("key").asText()))
          .isTrue();
    }
  }

  private static String mount(JsonNode container, String volume) {
    for (JsonNode mount : container.path("volumeMounts")) {
      if (mount.path("name").asText().equals(volume)) {
        return mount.path("mountPath").asText();
      }
    }
    throw new AssertionError(volume + " is not mounted");
  }

  /** A pod is killed after its grace period; the server must have ended by then. */
  @Test
  void waitLongerThanTheServerDrains() throws Exception {
    JsonNode data = manifest("configmap.yaml").path("data");
    int drains = seconds(data.path("KV_DRAIN_DELAY")) + seconds(data.path("KV_DRAIN_TIMEOUT"));
    JsonNode pod = manifest("statefulset.yaml").path("spec").path("template").path("spec");
    assertThat(pod.path("terminationGracePeriodSeconds").asInt()).isGreaterThan(drains + 10);
    JsonNode ready = pod.path("containers").path(0).path("readinessProbe");
    assertThat(ready.path("periodSeconds").asInt() * ready.path("failureThreshold").asInt())
        .as("not ready before new requests are refused")
        .isLessThan(seconds(data.path("KV_DRAIN_DELAY")));
  }

  private static int seconds(JsonNode setting) {
    return Integer.parseInt(setting.asText().replaceAll("s$", ""));
  }

  @Test
  void haveSettingsOfTheServerAndRoutesOfItsHealth() throws Exception {
    Map<String, String> environment = new HashMap<>();
    JsonNode data = manifest("configmap.yaml").path("data");
    data.fieldNames().forEachRemaining(name -> environment.put(name, data.path(name).asText()));
    KvProcess.Result printed = KV.with(environment).run("serve", "--memory", "--print-config");
    assertThat(printed.exit()).as(printed.err()).isZero();
    environment.keySet().forEach(name -> assertThat(printed.out()).contains("# " + name));

    JsonNode container =
        manifest("statefulset.yaml").path("spec").path("template").path("spec").path("containers");
    for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
      assertThat(container.path(0).path(probe).path("httpGet").path("path").asText())
          .isIn("/livez", "/readyz");
    }
  }
}
