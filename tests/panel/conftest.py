from tests.surveys.fixtures import hps_panel, masculinity_panel

__all__ = ["hps_panel", "masculinity_panel"]
