from tests.service.conftest import service, survey

__all__ = ["service", "survey"]
