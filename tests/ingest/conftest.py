from tests.surveys.fixtures import hps_survey, masculinity_survey

__all__ = ["hps_survey", "masculinity_survey"]
