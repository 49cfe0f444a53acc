"""worldd.Enricher: what it is told, what the planner then sees, how it fails."""
import pytest

import worldd
from conftest import episode_text, until


class Titles(worldd.Enricher):
    """Gives each page a title of its own and notes what it was asked."""

    def __init__(self, *args, error=None, **options):
        super().__init__(*args, **options)
        self.asked, self.error = [], error

    def enrich(self, request):
        self.asked.append(request)
        if self.error is not None:
            raise self.error
        request.suggestion.title = f"page {len(self.asked)}"
        return request.suggestion


def run(daemon, world, enricher):
    """(titles that the planner saw, result) of one run with it, once worldd knows both."""
    titles = []

    def plan(request):
        titles.append(request.title)
        return worldd.Step("launch_app", app="settings") if request.step_index == 0 else worldd.complete()

    with worldd.FunctionPlanner(daemon.planner_endpoint, plan), enricher:
        until("both", lambda: {peer["role"] for peer in world.planners()} == {"planner", "enricher"})
        return titles, world.run("demo/hello", timeout=60, enricher="titles")


def test_the_planner_sees_what_it_says(worldd_daemon, worldd_world):
    enricher = Titles(worldd_daemon.planner_endpoint, "titles")
    titles, result = run(worldd_daemon, worldd_world, enricher)
    assert titles == ["page 1", "page 2"] and len(enricher.asked) == 2
    assert enricher.asked[0].instruction == "Open Settings, then Bluetooth." and enricher.asked[0].scene.nodes
    assert '"enricher":"titles"' in episode_text(result.episode)
    assert worldd_world.status()["scenes"] == {"enriched": 2, "fallbacks": 0}


def test_without_an_answer_worldds_own_holds(worldd_daemon, worldd_world):
    said = []
    enricher = Titles(worldd_daemon.planner_endpoint, "titles", error=ValueError("no idea"), log=said.append)
    titles, result = run(worldd_daemon, worldd_world, enricher)
    assert result.ending == "complete" and len(titles) == 2 and "page 1" not in titles
    assert worldd_world.status()["scenes"] == {"enriched": 0, "fallbacks": 2}
    assert said.count("ValueError: no idea") == 2


@pytest.mark.parametrize("name", ["rules", "device"])
def test_worldds_own_names_are_its_own(worldd_daemon, name):
    with pytest.raises(worldd.Rejected, match="worldd's own"):
        Titles(worldd_daemon.planner_endpoint, name).run()
